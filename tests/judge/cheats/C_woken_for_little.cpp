// A timer of its own sends it SIGCONT while the judge has it stopped; it looks at the input's last number, and stops
// itself again if that is the old one. Once the input is there it works for a few tenths of a millisecond, less than
// the kernel's accounts are trusted for, and stops itself. The call finds its output there and waits until its time is
// believable.
//
// task: softmax_some
// expect: clock_mismatch tampering crash passed
// slow: yes
// sandboxed: yes

#include <sched.h>
#include <signal.h>
#include <unistd.h>
#include <atomic>
#include <chrono>
#include <cmath>
#include <ctime>
#include <thread>

#include <kernelmesh_abi.h>

static const float* x;
static float* y;
static int64_t rows, columns;
static std::atomic<bool> done{true}, waiting{false};
static float last;
static timer_t timer;
static volatile sig_atomic_t timed = 0;
static void note(int) { timed = 1; }

static void softmax(const float* in, float* out) {
  float largest = in[0], sum = 0;
  for (int64_t c = 1; c < columns; ++c) largest = in[c] > largest ? in[c] : largest;
  for (int64_t c = 0; c < columns; ++c) sum += out[c] = std::exp(in[c] - largest);
  for (int64_t c = 0; c < columns; ++c) out[c] /= sum;
}

static float newest() { return reinterpret_cast<const volatile float*>(x)[rows * columns - 1]; }

static void work() {
  for (int64_t r = 0; r < rows; ++r) softmax(x + r * columns, y + r * columns);
  last = newest();
  done = true;
}

static void set_timer() {
  itimerspec often{{0, 200'000}, {0, 200'000}};
  timer_settime(timer, 0, &often, nullptr);
}

/// Runs when something woke the process: either the judge or the timer.
static void follow() {
  for (;;) {
    if (waiting && !done && newest() != last) {
      work();
      waiting = false;
      kill(getpid(), SIGSTOP);
    } else if (waiting) {
      set_timer();
      kill(getpid(), SIGSTOP);
    } else {
      sched_yield();
    }
  }
}

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t, int32_t,
                              void*) {
  static bool started = false;
  auto end = std::chrono::steady_clock::now() + std::chrono::microseconds{60};
  signal(SIGCONT, note);
  x = static_cast<const float*>(in[0].data), y = static_cast<float*>(out[0].data);
  rows = in[0].shape[0], columns = in[0].shape[1];
  waiting = false;
  if (!done || !started || !timed || newest() != last) work();
  if (timed && !started) {
    started = true;
    sigevent event{};
    event.sigev_notify = SIGEV_SIGNAL, event.sigev_signo = SIGCONT;
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    std::thread(follow).detach();
  }
  while (started && std::chrono::steady_clock::now() < end) {
  }
  if (started) {
    done = false;
    waiting = true;
    set_timer();
  }
  return 0;
}
