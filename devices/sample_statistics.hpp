#pragma once
// What a list of timings says: medians with an interval that assumes nothing about the shape of the noise.

#include <span>

#include "messages/records/verdict.hpp"

namespace devices {

/// Median with its 95 % interval from order statistics; lowest and highest value where there are fewer than 6.
/// `xs` is not empty and finite.
messages::ratio median_of(std::span<const double> xs);

/// Times in ns; the result is in ms.
messages::distribution distribution_of(std::span<const double> times_ns);

/// Median of over[i] / under[i]. Equal, non-zero lengths; every `under` is above 0.
messages::ratio paired_ratio(std::span<const double> over, std::span<const double> under);

/// How far from 1 the ratio of two timings of the same thing may be by noise: the farther end of its interval.
double noise_of(const messages::ratio& same);

}  // namespace devices
