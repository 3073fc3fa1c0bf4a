// Threads of its own that live from the first call on, wait between calls and are waited for in each.
//
// task: relu
// expect: passed

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include <kernelmesh_abi.h>

class pool {
public:
  explicit pool(int64_t parts) : parts_(parts) {
    for (int64_t i = 1; i < parts; ++i) std::thread(&pool::serve, this, i).detach();
  }
  void run(const std::function<void(int64_t, int64_t)>& work) {
    {
      std::lock_guard guard(lock_);
      work_ = &work, open_ = parts_ - 1, ++round_;
    }
    begin_.notify_all();
    work(0, parts_);
    std::unique_lock guard(lock_);
    end_.wait(guard, [&] { return open_ == 0; });
  }

private:
  void serve(int64_t part) {
    for (uint64_t seen = 0;;) {
      std::unique_lock guard(lock_);
      begin_.wait(guard, [&] { return round_ != seen; });
      seen = round_;
      guard.unlock();
      (*work_)(part, parts_);
      guard.lock();
      if (--open_ == 0) end_.notify_one();
    }
  }
  int64_t parts_, open_ = 0;
  uint64_t round_ = 0;
  const std::function<void(int64_t, int64_t)>* work_ = nullptr;
  std::mutex lock_;
  std::condition_variable begin_, end_;
};

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t,
                              int32_t threads, void*) {
  const float* x = static_cast<const float*>(in[0].data);
  float* y = static_cast<float*>(out[0].data);
  int64_t n = in[0].shape[0] * in[0].shape[1];

  static pool workers(threads);
  workers.run([&](int64_t part, int64_t parts) {
    for (int64_t i = n * part / parts; i < n * (part + 1) / parts; ++i) y[i] = x[i] > 0 ? x[i] : 0;
  });
  return 0;
}
