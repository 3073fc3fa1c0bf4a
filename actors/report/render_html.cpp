#include <fmt/format.h>

#include "actors/report/clean_text.hpp"
#include "actors/report/report.hpp"
#include "dsl/mustache.hpp"
#include "messages/wire/codec.hpp"

namespace actors::report {

namespace {

using dsl::template_data;

/// Makes template data of a record's fields. Every text is cleaned and escaped here, whatever it was before.
struct page_writer {
  template_data data{template_data::type::object};

  template <class T>
  void operator()(const char* name, T& x) {
    data[name] = value(x);
  }

  /// A list has a flag beside it, for what stands around its items: "jobs" has "has_jobs".
  template <class T>
  void operator()(const char* name, std::vector<T>& xs) {
    data[name] = value(xs);
    data[std::string{"has_"} + name] = template_data{!xs.empty()};
  }

  /// An empty text is false, so that it has no section.
  static template_data value(const std::string& x) {
    return x.empty() ? template_data{false} : template_data{html_escape(clean(x))};
  }
  static template_data value(bool x) { return template_data{x}; }
  static template_data value(double x) { return template_data{fmt::format("{:.6g}", x)}; }
  static template_data value(std::uint64_t x) { return template_data{std::to_string(x)}; }

  template <wire::record T>
  static template_data value(T& x) {
    page_writer inner;
    x.fields(inner);
    return std::move(inner.data);
  }

  template <class T>
  static template_data value(std::optional<T>& x) {
    return x ? value(*x) : template_data{false};
  }

  template <class T>
  static template_data value(std::vector<T>& xs) {
    auto list = dsl::template_list();
    for (auto& x : xs) list.push_back(value(x));
    return list;
  }
};

}  // namespace

messages::expected<std::string> render_html(const report_model& model, const std::string& page) {
  auto copy = model;  // fields are visited through references that may change
  return dsl::render(page, page_writer::value(copy), "the page of a run");
}

}  // namespace actors::report
