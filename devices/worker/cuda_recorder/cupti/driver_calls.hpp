#pragma once
// What each call of the driver means to a recording.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "devices/worker/cuda_recorder/cupti/nvidia.hpp"
#include "devices/worker/cuda_recorder/recording.hpp"

namespace devices::worker::recorder {

/// Told by CUPTI, one call at a time.
class driver_calls {
public:
  explicit driver_calls(recording& to) : to_(to) {}

  /// `call` is about to begin.
  void begun(CUpti_CallbackId id, const CUpti_CallbackData& call);
  /// `call` has ended. Work is told to the recording if it is `on`; what is loaded and allocated always.
  void done(CUpti_CallbackId id, const CUpti_CallbackData& call, bool on);
  /// A binary is on the device now.
  void image_loaded(const void* at, std::size_t size);

private:
  void owner_loaded(void* owner, const void* image);
  void* owner_of(const void* kernel) const;
  std::optional<std::size_t> image_of(void* kernel, const std::string& name);
  void launched(void* kernel, const char* symbol, const CUlaunchConfig& x, void** parameters, void** extra);

  /// False: the call is another one.
  bool loaded(CUpti_CallbackId id, const CUpti_CallbackData& call);
  bool found(CUpti_CallbackId id, const CUpti_CallbackData& call);
  bool allocated(CUpti_CallbackId id, const CUpti_CallbackData& call);
  bool launched(CUpti_CallbackId id, const CUpti_CallbackData& call);
  bool copied(CUpti_CallbackId id, const CUpti_CallbackData& call);
  bool filled(CUpti_CallbackId id, const CUpti_CallbackData& call);

  recording& to_;
  std::map<const void*, void*> owners_;               ///< kernel -> its module or library
  std::map<void*, std::vector<std::size_t>> images_;  ///< of a module or library
};

}  // namespace devices::worker::recorder
