#include "redirect.hpp"

#include "slot_map.hpp"

#include <charconv>

namespace headgate::redis {
namespace {

template <class Number>
bool read_number(std::string_view text, Number& number) {
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), number);
  return ec == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::optional<Redirect> read_redirect(std::string_view error) {
  Redirect redirect;
  if (error.starts_with("TRYAGAIN")) {
    redirect.kind = Redirect::Kind::try_again;
    return redirect;
  }
  if (error.starts_with("ASK "))
    redirect.kind = Redirect::Kind::check;
  else if (!error.starts_with("MOVED "))
    return std::nullopt;
  const auto first = error.find(' ');
  const auto second = error.find(' ', first + 1);
  const auto colon = error.rfind(':');  // an IPv6 address has colons too
  if (second == std::string_view::npos || colon == std::string_view::npos || colon < second) return std::nullopt;
  if (!read_number(error.substr(first + 1, second - first - 1), redirect.slot) || redirect.slot >= kSlots ||
      !read_number(error.substr(colon + 1), redirect.node.port) || redirect.node.port == 0)
    return std::nullopt;
  redirect.node.host = error.substr(second + 1, colon - second - 1);
  if (redirect.node.host == "?") redirect.node.host.clear();  // a node that does not know its own name
  return redirect;
}

}  // namespace headgate::redis
