// What the client costs, against a server that scripts/bench/llm_client runs. One figure a line: name, value, unit.
//
//     kernelmesh-llm-bench streams URL COUNT SECONDS     CPU of COUNT streams that last about so long
//     kernelmesh-llm-bench faults URL COUNT NAME...      growth over COUNT requests to URL/NAME/v1, 64 at once

#include <sys/resource.h>
#include <unistd.h>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <semaphore>
#include <string>
#include <vector>

#include "llm_client/client.hpp"

namespace {

using llm_client::loop_clock;

double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  auto seconds = [](timeval x) { return static_cast<double>(x.tv_sec) + static_cast<double>(x.tv_usec) / 1e6; };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

double resident_mib() {
  std::size_t all = 0, resident = 0;
  std::ifstream{"/proc/self/statm"} >> all >> resident;
  return static_cast<double>(resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) / (1 << 20);
}

double open_files() {
  std::filesystem::directory_iterator begin{"/proc/self/fd"}, end;
  return static_cast<double>(std::distance(begin, end));
}

std::shared_ptr<const llm_client::model> model_at(const std::string& url) {
  llm_client::model x{.name = "bench", .served_as = "bench", .key = llm_client::secret{"bench-key-0123456789"}};
  x.server.base_url = url;
  x.server.proxy = "none";
  return std::make_shared<const llm_client::model>(std::move(x));
}

messages::llm_request question() { return {.messages = {{.text = "Say hello."}}}; }

int streams(const std::string& url, std::size_t count, double wanted_seconds) {
  llm_client::http_loop loop;
  llm_client::client client{loop, {}};
  std::counting_semaphore<> ended{0};
  std::atomic<std::size_t> pieces{0}, whole{0};
  auto model = model_at(url + "/stream/v1");
  auto cpu = cpu_seconds();
  auto begin = loop_clock::now();
  for (std::size_t i = 0; i < count; ++i)
    client.start({model, question(), {}}, {.text = [&](std::string_view) { ++pieces; },
                                           .done =
                                               [&](llm_client::outcome x) {
                                                 whole += x.has_value();
                                                 ended.release();
                                               }});
  for (std::size_t i = 0; i < count; ++i) ended.acquire();
  std::chrono::duration<double> took = loop_clock::now() - begin;
  std::cout << "core_share " << (cpu_seconds() - cpu) / took.count() << " of_a_core\n"
            << "tokens_per_second " << static_cast<double>(pieces) / took.count() << " 1/s\n"
            << "whole_replies " << static_cast<double>(whole) / static_cast<double>(count) << " share\n"
            << "slowdown " << took.count() / wanted_seconds << " x\n";
  return 0;
}

struct load {
  std::vector<std::shared_ptr<const llm_client::model>> models;
  std::counting_semaphore<> free{64};
  std::size_t next = 0;
};

void ask_many(llm_client::client& client, load& x, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    x.free.acquire();
    client.start({x.models[x.next++ % x.models.size()], question(), {}},
                 {.done = [&](llm_client::outcome) { x.free.release(); }});
  }
  for (int i = 0; i < 64; ++i) x.free.acquire();
  x.free.release(64);
}

int faults(const std::string& url, std::size_t count, const std::vector<std::string>& names) {
  llm_client::http_loop loop;
  llm_client::client client{loop, {}};
  load x;
  for (const auto& name : names) x.models.push_back(model_at(url + "/" + name + "/v1"));
  ask_many(client, x, count / 10);  // caches fill
  auto memory = resident_mib(), files = open_files(), cpu = cpu_seconds();
  ask_many(client, x, count);
  std::cout << "memory_growth " << resident_mib() - memory << " MiB\n"
            << "open_files_growth " << open_files() - files << " files\n"
            << "cpu_per_request " << (cpu_seconds() - cpu) / static_cast<double>(count) * 1e6 << " us\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> args(argv + 1, argv + argc);
  if (args.size() == 4 && args[0] == "streams") return streams(args[1], std::stoul(args[2]), std::stod(args[3]));
  if (args.size() > 3 && args[0] == "faults")
    return faults(args[1], std::stoul(args[2]), {args.begin() + 3, args.end()});
  std::cerr << "usage: kernelmesh-llm-bench streams URL COUNT SECONDS | faults URL COUNT NAME...\n";
  return 2;
}
