#pragma once
// Precompiled once and read by every folder above messages: what nearly every source includes anyway. A source still
// includes what it uses; without this file everything compiles as well, in twice the time.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "messages/records/executor_report.hpp"
#include "messages/records/fact.hpp"
#include "messages/records/question.hpp"
#include "messages/records/stage.hpp"
#include "messages/wire/wire.hpp"
