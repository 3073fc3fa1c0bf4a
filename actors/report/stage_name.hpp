#pragma once
// What stages and questions are called where there is little room.

#include <string>

namespace actors::report {

/// "verify of 3f2a91c0" for "RUN/JOB/3f2a91c0.../verify", "trace" for "RUN/JOB/task/trace"; of a question its first
/// word: "code" for "code/9a01...". Clean.
std::string stage_name(const std::string& id);

}  // namespace actors::report
