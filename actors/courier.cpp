#include "actors/courier.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "messages/records/content_hash.hpp"

namespace actors {

namespace {

using namespace messages;

/// One question; answered when all of its blobs have arrived, or with the first failure.
struct errand {
  caf::typed_response_promise<blobs_there> promise;
  std::size_t open = 1;  // blobs on their way, and one until all have been looked at
  std::optional<failure> why;

  void one_done(const std::optional<failure>& wrong) {
    if (wrong && !why) why = wrong;
    if (--open > 0) return;
    deliver(promise, why ? expected<blobs_there>{tl::unexpected{*why}} : expected<blobs_there>{blobs_there{}});
  }
};

/// A blob on its way; either way its parts go in a window.
struct journey {
  std::string bytes;
  std::uint64_t asked = 0;     ///< bytes that parts under way or done cover
  std::uint64_t done = 0;      ///< bytes that have arrived
  std::uint32_t parts = 0;     ///< under way
  bool sized = false;          ///< `bytes` is as long as the blob
  std::optional<failure> why;  ///< it has failed; ends when no part is under way any more
  std::vector<std::shared_ptr<errand>> who;
};

class courier_state {
public:
  using pointer = courier_actor::stateful_pointer<courier_state>;
  static inline const char* name = "courier";

  explicit courier_state(pointer self) : self_(self) {}
  ~courier_state() {
    for (auto* all : {&coming_, &going_})
      for (auto& [hash, x] : *all)
        for (auto& who : x.who) who->one_done(failure{failure_code::actor_lost, "the courier ended"});
  }

  courier_actor::behavior_type start(const blobs::blob_store& store, const courier_options& options) {
    store_ = store;
    options_ = options;
    return {[this](const bring_blobs& x) { return bring(x); }, [this](const send_blobs& x) { return send(x); }};
  }

private:
  using journeys = std::map<blob_hash, journey>;

  std::shared_ptr<errand> begin_errand() {
    return std::make_shared<errand>(errand{self_->make_response_promise<blobs_there>()});
  }

  /// @return whether the blob sets out now
  static bool enlist(journeys& all, const blob_hash& hash, const std::shared_ptr<errand>& who) {
    ++who->open;
    auto [place, is_new] = all.try_emplace(hash);
    place->second.who.push_back(who);
    return is_new;
  }

  static void finish(journeys& all, const blob_hash& hash, const std::optional<failure>& why) {
    auto ended = all.extract(hash);
    for (auto& who : ended.mapped().who) who->one_done(why);
  }

  // -- from the coordinator -------------------------------------------------------------------------------------------

  caf::result<blobs_there> bring(const bring_blobs& x) {
    auto mine = begin_errand();
    for (const auto& hash : x.hashes)
      if (!store_->has(hash) && enlist(coming_, hash, mine)) ask_for_part(hash, coming_.at(hash));
    mine->one_done({});
    return mine->promise;
  }

  void ask_for_part(const blob_hash& hash, journey& x) {
    auto offset = x.asked;
    x.asked += blob_part_bytes;
    ++x.parts;
    self_->request(options_.depot, options_.part_limit, read_blob{hash, offset})
        .then([this, hash, offset](const blob_part& part) { part_came(hash, offset, part); },
              [this, hash](const caf::error& error) { part_failed(coming_, hash, to_failure(error)); });
  }

  void part_came(const blob_hash& hash, std::uint64_t offset, const blob_part& part) {
    auto& x = coming_.at(hash);
    --x.parts;
    if (!x.sized && part.size_bytes <= blob_bytes) x.bytes.resize(part.size_bytes), x.sized = true;
    auto wanted = x.sized ? std::min<std::uint64_t>(blob_part_bytes, x.bytes.size() - offset) : 0;
    if (!x.sized || part.size_bytes != x.bytes.size() || part.bytes.size() != wanted)
      x.why = failure{failure_code::unreadable, "blob " + hash.value + " came in parts of a wrong size"};
    if (x.why) return give_up(coming_, hash);
    std::ranges::copy(part.bytes, reinterpret_cast<std::byte*>(x.bytes.data()) + offset);
    x.done += part.bytes.size();
    while (x.asked < x.bytes.size() && x.parts < blob_window) ask_for_part(hash, x);
    if (x.done == x.bytes.size()) finish(coming_, hash, keep(hash, x.bytes));
  }

  std::optional<failure> keep(const blob_hash& hash, const std::string& bytes) {
    if (content_hash(bytes) != hash.value)
      return failure{failure_code::unreadable, "what came as blob " + hash.value + " is something else"};
    auto kept = store_->put(bytes);
    return kept ? std::nullopt : std::optional{kept.error()};
  }

  // -- to the coordinator ---------------------------------------------------------------------------------------------

  caf::result<blobs_there> send(const send_blobs& x) {
    auto mine = begin_errand();
    for (const auto& hash : x.hashes)
      if (enlist(going_, hash, mine)) set_out(hash);
    mine->one_done({});
    return mine->promise;
  }

  void set_out(const blob_hash& hash) {
    auto bytes = store_->get(hash);
    if (!bytes) return finish(going_, hash, bytes.error());
    auto& x = going_.at(hash);
    x.bytes = *std::move(bytes);
    x.sized = true;
    send_part(hash, x);
  }

  /// The first one alone: the blob may be there already.
  void send_part(const blob_hash& hash, journey& x) {
    auto length = std::min<std::uint64_t>(blob_part_bytes, x.bytes.size() - x.asked);
    auto first = reinterpret_cast<const std::byte*>(x.bytes.data()) + x.asked;
    write_blob part{options_.node, hash, x.bytes.size(), x.asked, {first, first + length}};
    x.asked += length;
    ++x.parts;
    self_->request(options_.depot, options_.part_limit, std::move(part))
        .then([this, hash](const blob_written& written) { part_went(hash, written); },
              [this, hash](const caf::error& error) { part_failed(going_, hash, to_failure(error)); });
  }

  void part_went(const blob_hash& hash, const blob_written& written) {
    auto& x = going_.at(hash);
    --x.parts;
    if (written.whole) x.asked = x.bytes.size();
    if (x.why) return give_up(going_, hash);
    while (x.asked < x.bytes.size() && x.parts < blob_window) send_part(hash, x);
    if (x.parts > 0) return;
    finish(going_, hash,
           written.whole
               ? std::nullopt
               : std::optional{failure{failure_code::wrong_answer, "blob " + hash.value + " did not arrive"}});
  }

  // -- both -----------------------------------------------------------------------------------------------------------

  void part_failed(journeys& all, const blob_hash& hash, failure why) {
    auto& x = all.at(hash);
    --x.parts;
    if (!x.why) x.why = std::move(why);
    give_up(all, hash);
  }

  /// Answers that are still under way must find it.
  static void give_up(journeys& all, const blob_hash& hash) {
    if (auto& x = all.at(hash); x.parts == 0) finish(all, hash, failure{*x.why});
  }

  pointer self_;
  courier_options options_;
  std::optional<blobs::blob_store> store_;
  journeys coming_, going_;
};

}  // namespace

courier_actor spawn_courier(caf::actor_system& system, const blobs::blob_store& store, const courier_options& options) {
  if (options.own_thread) return spawn_state<courier_state, caf::detached>(system, store, options);
  return spawn_state<courier_state>(system, store, options);
}

}  // namespace actors
