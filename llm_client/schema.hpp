#pragma once
// JSON Schema as far as structured answers need it. Read are type, enum, const, properties, required,
// additionalProperties, items, anyOf, oneOf, allOf, $ref within the document, and the bounds minimum, maximum,
// exclusiveMinimum, exclusiveMaximum, minLength, maxLength, minItems, maxItems. Annotations (title, description, ...)
// say nothing; any other keyword is refused, since an answer could not be checked against it.

#include <optional>
#include <string>
#include <string_view>

#include "llm_client/json_view.hpp"
#include "messages/records/failure.hpp"

namespace llm_client {

/// May answers be checked against it? Failure: bad_input, with the place and the keyword.
messages::expected<void> check_schema(std::string_view schema);

/// Nothing where the value matches, else what does not: "plans[0].knobs: expected object, got array".
std::optional<std::string> schema_mismatch(json_view schema, json_view value);

/// Does each object name all its members as required and allow no others? Strict modes of servers ask for that.
bool strict_schema(json_view schema);

/// The one document in an answer: the whole text, or what stands in its only block of ``` (models without a strict mode
/// put one around it). It matches the schema. Failure: unreadable, with what does not match.
messages::expected<std::string> structured_answer(std::string_view schema, std::string_view answer);

}  // namespace llm_client
