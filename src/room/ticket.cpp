#include "headgate/room/ticket.hpp"

#include <array>
#include <charconv>

namespace headgate::room {
namespace {

/// Reads a number in its canonical form: no sign, no leading zeros.
template <class Number>
bool read_number(std::string_view text, Number& out, int base) noexcept {
  if (text.empty() || text.front() == '-' || (text.size() > 1 && text.front() == '0')) return false;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), out, base);
  return ec == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::string ticket_text(const Ticket& ticket, std::string_view secret) {
  std::array<char, 16> id{};
  const auto end = std::to_chars(id.data(), id.data() + id.size(), ticket.id, 16).ptr;
  std::string out = ticket.kind == Ticket::Kind::ticket ? "t." : "p.";
  out.append(std::to_string(ticket.number)).append(1, '.');
  out.append(std::to_string(ticket.at)).append(1, '.');
  out.append(std::to_string(ticket.serving)).append(1, '.');
  out.append(id.data(), end).append(1, '.');
  return out.append(secret);
}

std::optional<WrittenTicket> read_ticket(std::string_view text) noexcept {
  if (text.size() > kMaxTicketText) return std::nullopt;
  std::array<std::string_view, 7> parts;
  std::size_t count = 0;
  for (std::size_t begin = 0; begin <= text.size(); ++count) {
    if (count == parts.size()) return std::nullopt;
    const auto dot = std::min(text.find('.', begin), text.size());
    parts[count] = text.substr(begin, dot - begin);
    begin = dot + 1;
  }
  if (count != parts.size() || parts[5].empty() || parts[6].empty()) return std::nullopt;
  WrittenTicket out;
  if (parts[0] != "t" && parts[0] != "p") return std::nullopt;
  auto& ticket = out.ticket;
  ticket.kind = parts[0] == "t" ? Ticket::Kind::ticket : Ticket::Kind::pass;
  if (!read_number(parts[1], ticket.number, 10) || !read_number(parts[2], ticket.at, 10) ||
      !read_number(parts[3], ticket.serving, 10) || !read_number(parts[4], ticket.id, 16))
    return std::nullopt;
  if (ticket.number < 1 || ticket.number > kMaxNumber || ticket.serving > kMaxNumber || ticket.at > kMaxNumber)
    return std::nullopt;
  out.secret = parts[5];
  out.signature = parts[6];
  out.text = text.substr(0, text.size() - out.signature.size() - 1);
  return out;
}

}  // namespace headgate::room
