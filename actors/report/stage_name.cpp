#include "actors/report/stage_name.hpp"

#include "actors/report/clean_text.hpp"

namespace actors::report {

std::string stage_name(const std::string& id) {
  auto kind_at = id.rfind('/');
  if (kind_at == std::string::npos || kind_at == 0) return clean_line(id, 60);
  auto who_at = id.rfind('/', kind_at - 1);
  bool question = who_at == std::string::npos || id.find('/') == who_at;  // they have one slash or two
  if (question) return clean_line(id.substr(0, id.find('/')), 60);
  auto who = id.substr(who_at + 1, kind_at - who_at - 1);
  return clean_line(id.substr(kind_at + 1), 40) + (who == "task" ? "" : " of " + clean_line(who.substr(0, 8), 8));
}

}  // namespace actors::report
