#pragma once
// What was measured of a device, kept so that not every start measures it: one small JSON file a device.

#include <filesystem>
#include <optional>

#include "messages/records/failure.hpp"
#include "messages/records/worker.hpp"

namespace devices {

/// @param folder of all calibrations; need not be there
std::filesystem::path calibration_file(const std::filesystem::path& folder, const messages::device_name& device);

/// None where there is no file or it can't be read: it is measured anew then.
std::optional<messages::calibration> read_calibration(const std::filesystem::path& file);

/// Makes the folder, replaces the file as a whole. Failure: storage.
messages::expected<void> write_calibration(const std::filesystem::path& file, const messages::calibration& x);

}  // namespace devices
