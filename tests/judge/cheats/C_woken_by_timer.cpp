// A timer of its own sends it SIGCONT whenever the judge has stopped it, without a second process. Threads follow the
// judge as it writes the lent input, row by row, and take its cores meanwhile, so that most is done before it says go.
// The call waits until its time is believable.
//
// task: softmax
// expect: clock_mismatch tampering crash
// slow: yes
// sandboxed: yes

#include <sched.h>
#include <unistd.h>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <ctime>
#include <thread>

#include <kernelmesh_abi.h>

static constexpr int64_t rows = 512, columns = 1024;
static const float* x;
static float* y;
static std::atomic<int> state[rows];  // 0: old, 1: worked on, 2: done
static float seen[rows][3];

static void softmax(const float* in, float* out) {
  float largest = in[0], sum = 0;
  for (int64_t c = 1; c < columns; ++c) largest = in[c] > largest ? in[c] : largest;
  for (int64_t c = 0; c < columns; ++c) sum += out[c] = std::exp(in[c] - largest);
  for (int64_t c = 0; c < columns; ++c) out[c] /= sum;
}

static bool is_new(int64_t r) {
  auto p = reinterpret_cast<const volatile float*>(x + r * columns);
  return p[0] != seen[r][0] && p[columns / 2 - 1] != seen[r][1] && p[columns - 1] != seen[r][2];
}

static void take(int64_t r) {
  int expected = 0;
  if (!state[r].compare_exchange_strong(expected, 1)) return;
  const float* p = x + r * columns;
  seen[r][0] = p[0], seen[r][1] = p[columns / 2 - 1], seen[r][2] = p[columns - 1];
  softmax(p, y + r * columns);
  state[r] = 2;
}

static void follow(int64_t from, int64_t to) {
  for (;; sched_yield())
    for (int64_t r = from; r < to; ++r)
      if (state[r] == 0 && is_new(r)) take(r);
}

static timer_t timer;
static volatile sig_atomic_t timed = 0;
static void note(int) { timed = 1; }

static void wake_by_timer() {
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL, event.sigev_signo = SIGCONT;
  timer_create(CLOCK_MONOTONIC, &event, &timer);
}

/// A stop throws a SIGCONT away that has not arrived yet, and the timer's next ones with it.
static void set_timer() {
  itimerspec often{{0, 300'000}, {0, 300'000}};
  timer_settime(timer, 0, &often, nullptr);
}

extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t, int32_t,
                              void*) {
  static bool started = false;
  std::signal(SIGCONT, note);
  x = static_cast<const float*>(in[0].data), y = static_cast<float*>(out[0].data);
  if (timed && !started) {
    started = true;
    wake_by_timer();
    for (int64_t from = 0; from < rows; from += 64) std::thread(follow, from, from + 64).detach();
  }
  for (int64_t r = 0; r < rows; ++r) take(r);
  for (int64_t r = 0; r < rows; ++r)
    while (state[r] != 2) {
    }
  for (int64_t r = 0; r < rows; ++r) state[r] = 0;
  if (started) set_timer();
  auto end = std::chrono::steady_clock::now() + std::chrono::microseconds{150};
  while (started && std::chrono::steady_clock::now() < end) {
  }
  return 0;
}
