#pragma once
// The one home of templates: kainjow's mustache, whose header nobody else includes. Templates are text for machines, so
// nothing is escaped: {{x}} is x as it is.

#include <kainjow/mustache.hpp>
#include <map>
#include <string>

#include "messages/records/failure.hpp"

namespace dsl {

/// What a template is filled with: texts, flags, lists and maps by key. A key that is not there renders as nothing.
using template_data = kainjow::mustache::data;

inline template_data template_list() { return template_data{template_data::type::list}; }

/// So that the template may say {{>name}}.
inline void add_partials(template_data& to, const std::map<std::string, std::string>& partials) {
  for (const auto& [name, text] : partials) to.set(name, kainjow::mustache::partial{[text = text] { return text; }});
}

/// @param name of the template, for messages. Fails with `misconfigured` where the template is no mustache.
inline messages::expected<std::string> render(const std::string& text, const template_data& with,
                                              const std::string& name) {
  kainjow::mustache::mustache parsed{text};
  parsed.set_custom_escape([](const std::string& x) { return x; });
  if (!parsed.is_valid()) {
    return messages::fail(messages::failure_code::misconfigured, name + ": " + parsed.error_message());
  }
  return parsed.render(with);
}

}  // namespace dsl
