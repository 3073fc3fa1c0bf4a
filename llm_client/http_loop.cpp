#include "llm_client/http_loop.hpp"

#include <curl/curl.h>
#include <pthread.h>
#include <signal.h>
#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <thread>
#include <unordered_map>

namespace llm_client {

namespace {

using std::chrono::milliseconds;
using time_point = loop_clock::time_point;

constexpr std::size_t most_header_bytes = 256u << 10;
constexpr std::size_t most_drained_bytes = 64u << 10;
constexpr milliseconds drain_time{1000};  // for the end of an answer that is whole, so that its connection can be kept
constexpr milliseconds longest_poll{60'000};
constexpr long kept_connections = 64;

/// Everything of one request; the easy handle points into it.
struct transfer {
  http_id id = 0;
  http_request request;
  http_events events;
  CURL* easy = nullptr;
  curl_slist* headers = nullptr;
  char error[CURL_ERROR_SIZE] = "";
  http_head head;
  std::size_t header_bytes = 0;
  time_point started, last_bytes;
  bool head_told = false;  // the answer's own status line came
  bool began = false;
  bool told = false;  // done was called: what is left is drained
  std::size_t drained = 0;
  http_fault stopped_by = http_fault::none;

  ~transfer() {
    if (easy) curl_easy_cleanup(easy);
    curl_slist_free_all(headers);
  }

  void tell(http_fault fault, std::string detail) {
    if (std::exchange(told, true)) return;
    auto total = std::chrono::duration_cast<milliseconds>(loop_clock::now() - started);
    events.done({fault, std::move(detail), total});
  }
};

std::string lower_case(std::string_view text) {
  std::string out{text};
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return out;
}

std::string_view without_space(std::string_view text) {
  auto begin = text.find_first_not_of(" \t\r\n");
  return begin == text.npos ? "" : text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

// -- what libcurl calls -----------------------------------------------------------------------------------------------

std::size_t refuse_bytes(transfer& x, http_fault why) {
  x.stopped_by = why;
  return 0;
}

void tell_head(transfer& x) {
  if (std::exchange(x.head_told, true)) return;
  x.events.head(x.head);
}

std::uint32_t status_of(const transfer& x) {
  long status = 0;
  curl_easy_getinfo(x.easy, CURLINFO_RESPONSE_CODE, &status);
  return static_cast<std::uint32_t>(status);
}

std::size_t on_header(char* bytes, std::size_t, std::size_t size, void* user) {
  auto& x = *static_cast<transfer*>(user);
  x.last_bytes = loop_clock::now();
  if ((x.header_bytes += size) > most_header_bytes) return refuse_bytes(x, http_fault::malformed);
  std::string_view line{bytes, size};
  if (line.starts_with("HTTP/") && !x.head_told) {
    x.head = {};
    return size;
  }
  if (without_space(line).empty() && status_of(x) >= 200) {
    x.head.status = status_of(x);
    tell_head(x);
  }
  auto colon = line.find(':');
  if (colon != line.npos)
    x.head.headers.emplace_back(lower_case(line.substr(0, colon)), without_space(line.substr(colon + 1)));
  return size;
}

std::size_t on_body(char* bytes, std::size_t, std::size_t size, void* user) {
  auto& x = *static_cast<transfer*>(user);
  x.last_bytes = loop_clock::now();
  if (x.told) return (x.drained += size) > most_drained_bytes ? 0 : size;
  switch (x.events.body({bytes, size})) {
    case reader_wish::more: return size;
    case reader_wish::began: x.began = true; return size;
    case reader_wish::whole: x.tell(http_fault::none, ""); return size;
    case reader_wish::stop: break;
  }
  return refuse_bytes(x, http_fault::stopped);
}

// -- how it ended -----------------------------------------------------------------------------------------------------

bool about_tls(CURLcode code) {
  switch (code) {
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_ENGINE_INITFAILED:
    case CURLE_USE_SSL_FAILED: return true;
    default: return false;
  }
}

http_fault fault_of(const transfer& x, CURLcode code) {
  if (code == CURLE_OK) return http_fault::none;
  if (x.stopped_by != http_fault::none) return x.stopped_by;
  if (about_tls(code)) return http_fault::tls_failed;
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY: return http_fault::name_not_found;
    case CURLE_OPERATION_TIMEDOUT: return http_fault::connect_timeout;  // the only one that libcurl is told of
    case CURLE_BAD_CONTENT_ENCODING:
    case CURLE_UNSUPPORTED_PROTOCOL:  // HTTP/0.9
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_URL_MALFORMAT: return http_fault::malformed;
    default: break;
  }
  return x.header_bytes > 0 ? http_fault::cut : http_fault::connection_failed;
}

void set_up_connection(const transfer& x) {
  auto set = [&](auto option, auto value) { curl_easy_setopt(x.easy, option, value); };
  const auto& request = x.request;
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
  set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(request.deadlines.connect.count()));
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_TCP_KEEPALIVE, 1L);
  set(CURLOPT_QUICK_EXIT, 1L);  // else giving up a name waits for its resolver, and every stream with it
  if (!request.ca_file.empty()) set(CURLOPT_CAINFO, request.ca_file.c_str());
  if (request.proxy == "none")
    set(CURLOPT_PROXY, "");
  else if (!request.proxy.empty())
    set(CURLOPT_PROXY, request.proxy.c_str());
  set(CURLOPT_HEADEROPT, static_cast<long>(CURLHEADER_SEPARATE));  // a key is not for the proxy
  set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
}

void set_up_request(transfer& x) {
  auto set = [&](auto option, auto value) { curl_easy_setopt(x.easy, option, value); };
  for (const auto& header : x.request.headers) x.headers = curl_slist_append(x.headers, header.c_str());
  x.headers = curl_slist_append(x.headers, "Expect:");
  // Not asked for, since who compresses a stream also holds it back; understood all the same.
  x.headers = curl_slist_append(x.headers, "Accept-Encoding: identity");
  set(CURLOPT_ACCEPT_ENCODING, "");
  set(CURLOPT_URL, x.request.url.c_str());
  set(CURLOPT_HTTPHEADER, x.headers);
  set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(x.request.body.size()));
  set(CURLOPT_POSTFIELDS, x.request.body.c_str());
  set(CURLOPT_HEADERFUNCTION, &on_header);
  set(CURLOPT_HEADERDATA, &x);
  set(CURLOPT_WRITEFUNCTION, &on_body);
  set(CURLOPT_WRITEDATA, &x);
  set(CURLOPT_PRIVATE, &x);
  set(CURLOPT_ERRORBUFFER, x.error);
}

struct passed_deadline {
  time_point when;
  http_fault fault;
};

/// The one that comes first.
passed_deadline next_deadline(const transfer& x) {
  const auto& limit = x.request.deadlines;
  passed_deadline first{x.started + limit.total, http_fault::total_timeout};
  auto consider = [&](time_point when, http_fault fault) {
    if (when < first.when) first = {when, fault};
  };
  if (x.told) return {x.last_bytes + drain_time, http_fault::none};
  if (x.began)
    consider(x.last_bytes + limit.idle, http_fault::idle_timeout);
  else
    consider(x.started + limit.first_token, http_fault::first_token_timeout);
  return first;
}

std::string worded_fault(http_fault fault, const configs::llm_deadlines& limit) {
  auto seconds = [](milliseconds x) { return std::to_string(x.count()) + " ms"; };
  switch (fault) {
    case http_fault::first_token_timeout: return "no answer began within " + seconds(limit.first_token);
    case http_fault::idle_timeout: return "nothing came for " + seconds(limit.idle);
    case http_fault::total_timeout: return "the answer was not whole after " + seconds(limit.total);
    default: return {};
  }
}

}  // namespace

std::string_view http_head::header(std::string_view name) const {
  for (const auto& [key, value] : headers)
    if (key == name) return value;
  return {};
}

// -- the loop ---------------------------------------------------------------------------------------------------------

class http_loop::impl {
public:
  impl() {
    static const auto global = curl_global_init(CURL_GLOBAL_DEFAULT);
    static_cast<void>(global);
    multi_ = curl_multi_init();
    curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, kept_connections);
    thread_ = std::thread{[this] { run(); }};
  }

  ~impl() { curl_multi_cleanup(multi_); }

  void stop() {
    stopping_ = true;
    curl_multi_wakeup(multi_);
    thread_.join();
  }

  void post(std::function<void()> task) {
    {
      std::lock_guard lock{mutex_};
      posted_.push_back(std::move(task));
    }
    if (std::this_thread::get_id() != thread_.get_id()) curl_multi_wakeup(multi_);
  }

  http_id next_id() { return ++last_id_; }

  // -- on the loop's thread

  void add(std::unique_ptr<transfer> x) {
    x->easy = curl_easy_init();
    x->started = x->last_bytes = loop_clock::now();
    if (!x->easy) return x->tell(http_fault::connection_failed, "out of memory");
    set_up_connection(*x);
    set_up_request(*x);
    curl_multi_add_handle(multi_, x->easy);
    auto id = x->id;
    transfers_[id] = std::move(x);
  }

  void end(http_id id, http_fault fault, std::string detail) {
    auto found = transfers_.find(id);
    if (found == transfers_.end()) return;
    auto x = std::move(found->second);
    transfers_.erase(found);
    curl_multi_remove_handle(multi_, x->easy);
    x->tell(fault, std::move(detail));
  }

  void at(time_point when, std::function<void()> task) { timers_.emplace(when, std::move(task)); }

private:
  void run() {
    block_signals();
    while (!stopping_) {
      run_posted();
      run_timers();
      int running = 0;
      curl_multi_perform(multi_, &running);
      end_finished();
      end_late();
      curl_multi_poll(multi_, nullptr, 0, static_cast<int>(poll_time().count()), nullptr);
    }
    cancel_all();
    run_posted();  // requests that came too late are told so too
    cancel_all();
  }

  /// SIGPIPE of a closed connection, and those that other threads wait for.
  static void block_signals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
  }

  void run_posted() {
    std::vector<std::function<void()>> tasks;
    {
      std::lock_guard lock{mutex_};
      tasks.swap(posted_);
    }
    for (auto& task : tasks) task();
  }

  void cancel_all() {
    while (!transfers_.empty()) end(transfers_.begin()->first, http_fault::cancelled, "the client was closed");
  }

  void run_timers() {
    for (auto now = loop_clock::now(); !timers_.empty() && timers_.begin()->first <= now;) {
      auto task = std::move(timers_.begin()->second);
      timers_.erase(timers_.begin());
      task();
    }
  }

  void end_finished() {
    int left = 0;
    while (auto message = curl_multi_info_read(multi_, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      auto code = message->data.result;
      transfer* x = nullptr;
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &x);
      auto fault = fault_of(*x, code);
      end(x->id, fault, fault == http_fault::none ? "" : x->error[0] ? x->error : curl_easy_strerror(code));
    }
  }

  void end_late() {
    std::vector<std::pair<http_id, http_fault>> late;
    auto now = loop_clock::now();
    for (const auto& [id, x] : transfers_)
      if (auto deadline = next_deadline(*x); deadline.when <= now) late.emplace_back(id, deadline.fault);
    for (auto [id, fault] : late) end(id, fault, worded_fault(fault, transfers_[id]->request.deadlines));
  }

  milliseconds poll_time() {
    auto next = loop_clock::now() + longest_poll;
    if (!timers_.empty()) next = std::min(next, timers_.begin()->first);
    for (const auto& [id, x] : transfers_) next = std::min(next, next_deadline(*x).when);
    {
      std::lock_guard lock{mutex_};
      if (!posted_.empty()) return milliseconds{0};
    }
    return std::max(milliseconds{0}, std::chrono::ceil<milliseconds>(next - loop_clock::now()));
  }

  CURLM* multi_;
  std::atomic<bool> stopping_{false};
  std::atomic<http_id> last_id_{0};
  std::mutex mutex_;
  std::vector<std::function<void()>> posted_;
  std::unordered_map<http_id, std::unique_ptr<transfer>> transfers_;
  std::multimap<time_point, std::function<void()>> timers_;
  std::thread thread_;
};

http_loop::http_loop() : impl_(std::make_unique<impl>()) {}
http_loop::~http_loop() { impl_->stop(); }

http_id http_loop::start(http_request request, http_events events) {
  auto x = std::make_shared<std::unique_ptr<transfer>>(std::make_unique<transfer>());
  auto id = (*x)->id = impl_->next_id();
  (*x)->request = std::move(request);
  (*x)->events = std::move(events);
  impl_->post([this, x] { impl_->add(std::move(*x)); });
  return id;
}

void http_loop::cancel(http_id id) {
  impl_->post([this, id] { impl_->end(id, http_fault::cancelled, ""); });
}

void http_loop::run(std::function<void()> task) { impl_->post(std::move(task)); }

void http_loop::run_at(loop_clock::time_point when, std::function<void()> task) {
  impl_->post([this, when, task = std::move(task)] { impl_->at(when, task); });
}

}  // namespace llm_client
