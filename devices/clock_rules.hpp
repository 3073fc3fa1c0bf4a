#pragma once
// Clocks that must agree about a candidate's calls: the device's, the one around *done*, the one around its outputs.
// Work that one of them does not see is refused, or counted as the candidate's time.

#include <string>

#include "devices/draw_rules.hpp"
#include "messages/records/figures.hpp"
#include "messages/records/verdict.hpp"

namespace devices {

/// Of the stage `time`, without a class.
messages::kernel_failure time_failure(messages::failure_kind kind, std::string message);

/// Two clocks: one ends when the candidate says that it is done, the other when its outputs have arrived, less what
/// that takes a baseline. Work that is left for after *done* makes them disagree. Looked at are the calls that are no
/// slower than the middle one, whose time counts: whoever is done in time in some calls is slow in those.
/// @return by how much in nearly every one of them, in nanoseconds; 0 where that is no more than noise
double late_work(const messages::time_figures& x);

/// A collector that runs or a thread that winds down may follow an honest call; that little is counted as its time.
finding judge_clocks(const messages::time_figures& x, double late);

/// The clock in the candidate's process sees what is behind it on the stream that everybody waits for, the judge's own
/// sees all of a call. Work on other streams, before the one clock starts or behind it makes them disagree, and so does
/// a clock that was tampered with. In nearly every call: single ones may be late by anything. A sealed process is woken
/// for each call, which takes 20 to 70 us more or less from one to the next; what could be faked in it is the clock of
/// the device alone, by a kernel that finds where the driver keeps it.
finding judge_brackets(const messages::time_figures& x);

/// Less than what is refused is no proof, but nobody is to gain by it: what is beyond both clocks' own differences is
/// the candidate's time. A sealed one has no code in the process whose clock it is.
/// @return nanoseconds of each call
double unseen_work(const messages::time_figures& x);

}  // namespace devices
