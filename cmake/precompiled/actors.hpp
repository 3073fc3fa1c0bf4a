#pragma once
// As records.hpp, for the sources of actors: CAF and the interfaces beside the records.
#include "cmake/precompiled/records.hpp"

#include "actors/caf.hpp"
#include "messages/protocols/coordinator.hpp"
#include "messages/protocols/scheduler.hpp"
