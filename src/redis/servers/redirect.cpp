#include "redirect.hpp"

#include "slot_map.hpp"

#include "headgate/core/whole_number.hpp"

namespace headgate::redis {

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
  const auto colon = error.rfind(':');  // the last colon, because an IPv6 address has colons too
  if (second == std::string_view::npos || colon == std::string_view::npos || colon < second) return std::nullopt;
  const auto slot = whole_number<decltype(redirect.slot)>(error.substr(first + 1, second - first - 1), 0, kSlots - 1);
  const auto port = whole_number<std::uint16_t>(error.substr(colon + 1), 1);
  if (!slot || !port) return std::nullopt;
  redirect.slot = *slot;
  redirect.node.port = *port;
  redirect.node.host = error.substr(second + 1, colon - second - 1);
  if (redirect.node.host == "?") redirect.node.host.clear();  // a node that does not know its own name sends "?"
  return redirect;
}

}  // namespace headgate::redis
