#include "messages/records/candidate.hpp"

#include "messages/records/content_hash.hpp"

namespace messages {

candidate_id identify(const candidate_manifest& x) {
  auto identity = x;
  identity.plan = {};
  identity.parents.clear();
  identity.origin = candidate_origin::rules;
  return {content_hash(identity)};
}

}  // namespace messages
