#include "actors/journal.hpp"

#include <map>
#include <vector>

#include "actors/journal_file.hpp"
#include "messages/records/executor_report.hpp"

namespace actors {

namespace {

using namespace messages;

using private_actor = caf::typed_actor<ask<append_facts, facts_appended>, ask<read_facts, facts_read>, tell<reminder>>;

class journal_state {
public:
  using pointer = private_actor::stateful_pointer<journal_state>;
  static inline const char* name = "journal";

  explicit journal_state(pointer self) : self_(self) {}
  ~journal_state() { flush(); }

  private_actor::behavior_type start(const journal_options& options);

private:
  struct asker {
    caf::typed_response_promise<facts_appended> promise;
    facts_appended reply;
  };
  struct run_journal {
    journal_file file;
    std::vector<asker> waiting;  // for the commit
  };

  caf::result<facts_appended> append(const append_facts& x);
  caf::result<facts_read> read(const read_facts& x);
  expected<run_journal*> journal_of(const run_id& run, journal_file::mode how);
  void ask_for_flush();
  void flush();
  void flush(run_journal& x);

  pointer self_;
  journal_options options_;
  std::map<run_id, run_journal> runs_;
  bool flush_is_due_ = false;
};

private_actor::behavior_type journal_state::start(const journal_options& options) {
  options_ = options;
  return {
      [this](const append_facts& x) { return append(x); },
      [this](const read_facts& x) { return read(x); },
      [this](const reminder&) { flush(); },
  };
}

expected<journal_state::run_journal*> journal_state::journal_of(const run_id& run, journal_file::mode how) {
  if (auto known = runs_.find(run); known != runs_.end()) return &known->second;
  auto file = journal_file::open(journal_path(options_.folder, run), how);
  if (!file) return tl::unexpected{file.error()};
  return &runs_.emplace(run, run_journal{std::move(*file), {}}).first->second;
}

/// What else lies in the mailbox joins the same commit: the reminder is behind it.
caf::result<facts_appended> journal_state::append(const append_facts& x) {
  bool first = !x.facts.empty() && std::holds_alternative<run_started>(x.facts.front().content);
  auto journal = journal_of(x.run, first ? journal_file::mode::create : journal_file::mode::open);
  if (!journal) return to_error(journal.error());
  if (first && (*journal)->file.count() > 0)
    return to_error(
        {failure_code::bad_input, "there is a run " + x.run.value + " already: resume it, or take another id"});
  auto promise = self_->make_response_promise<facts_appended>();
  auto added = (*journal)->file.add(x.facts);
  if (!added) {
    flush(**journal);  // those before it are whole
    deliver(promise, tl::unexpected{added.error()});
    return promise;
  }
  (*journal)->waiting.push_back({promise, {std::move(*added)}});
  if (!std::exchange(flush_is_due_, true)) ask_for_flush();
  return promise;
}

void journal_state::ask_for_flush() {
  if (options_.commit_window.count() == 0)
    self_->send(self_, reminder{"flush", 0});
  else
    self_->delayed_send(self_, options_.commit_window, reminder{"flush", 0});
}

void journal_state::flush() {
  flush_is_due_ = false;
  for (auto& [run, journal] : runs_) flush(journal);
}

void journal_state::flush(run_journal& x) {
  auto done = x.file.commit();
  for (auto& [promise, reply] : std::exchange(x.waiting, {})) {
    if (done)
      deliver(promise, std::move(reply));
    else
      deliver(promise, tl::unexpected{done.error()});
  }
}

caf::result<facts_read> journal_state::read(const read_facts& x) {
  flush();
  auto journal = journal_of(x.run, journal_file::mode::open);
  if (!journal) return to_error(journal.error());
  auto facts = (*journal)->file.read();
  if (!facts) return to_error(facts.error());
  return facts_read{std::move(*facts)};
}

}  // namespace

journal_actor spawn_journal(caf::actor_system& system, const journal_options& options) {
  return options.own_thread ? journal_actor{spawn_state<journal_state, caf::detached>(system, options)}
                            : journal_actor{spawn_state<journal_state>(system, options)};
}

}  // namespace actors
