#pragma once
// Where journals, blobs, calibration and control sockets live.

#include <filesystem>
#include <string>

#include "configs/surroundings.hpp"
#include "messages/records/failure.hpp"

namespace configs {

/// The config's folder where it names one, else $KERNELMESH_HOME, else $XDG_STATE_HOME/kernelmesh, else
/// $HOME/.local/state/kernelmesh. Failure: misconfigured, where none of these is set.
messages::expected<std::filesystem::path> state_folder_of(const std::string& configured, const surroundings& around);

/// Makes the folder with mode 0700 where it is missing, and proves that it can be written. A folder that others may
/// enter is closed to them if it is empty, refused if not. Failures: storage, one sentence with the way out.
messages::expected<std::filesystem::path> open_state_folder(const std::filesystem::path& folder);

/// For commands that only read: a folder that is there is taken as it is where it can't be written (a read-only disk, a
/// copy), and one that is not there is not made. Else as open_state_folder. Failure: storage.
messages::expected<std::filesystem::path> state_folder_to_read(const std::filesystem::path& folder);

}  // namespace configs
