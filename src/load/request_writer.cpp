#include "request_writer.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>
#include <array>

namespace headgate::load {
namespace {

bool names(const std::string& field, std::string_view name) {
  return same_word(std::string_view(field).substr(0, field.find(':')), name);
}

void append_filled(std::string& out, std::string_view text, std::uint32_t caller,
                   const std::vector<std::string>& keys) {
  while (true) {
    const auto open = text.find('{');
    out += text.substr(0, open);
    if (open == std::string_view::npos) return;
    text.remove_prefix(open);
    const auto fill = [&](std::string_view word, const auto& value) {
      if (!text.starts_with(word)) return false;
      out += value();
      text.remove_prefix(word.size());
      return true;
    };
    if (fill("{n}", [&] { return std::to_string(caller); }) || fill("{ip}", [&] { return address_of(caller); }))
      continue;
    if (!keys.empty() && fill("{key}", [&] { return keys[(caller - 1) % keys.size()]; })) continue;
    out += '{';
    text.remove_prefix(1);
  }
}

}  // namespace

RequestWriter::RequestWriter(const RequestOptions& options, const net::Url& url) : options_(options) {
  const auto given = [&](std::string_view name) {
    return std::any_of(options.fields.begin(), options.fields.end(),
                       [name](const auto& field) { return names(field, name); });
  };
  before_ = options.method + ' ' + url.target + " HTTP/1.1\r\n";
  if (!given("Host")) before_ += "Host: " + net::authority(url) + "\r\n";
  if (!given("User-Agent")) before_ += "User-Agent: headgate-load/" HEADGATE_VERSION "\r\n";
  if (!given("Accept")) before_ += "Accept: application/json\r\n";
  if (!options.body.empty()) after_ = "Content-Length: " + std::to_string(options.body.size()) + "\r\n";
  after_ += "\r\n" + options.body;
}

std::string RequestWriter::text(std::uint32_t caller, std::string_view ticket) const {
  std::string out = before_;
  for (const auto& field : options_.fields) {
    append_filled(out, field, caller, options_.keys);
    out += "\r\n";
  }
  if (!ticket.empty()) out.append("Waiting-Room-Ticket: ").append(ticket).append("\r\n");
  return out + after_;
}

bool RequestWriter::repeatable() const noexcept {
  constexpr std::array<std::string_view, 6> kIdempotent{"GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"};
  return std::find(kIdempotent.begin(), kIdempotent.end(), options_.method) != kIdempotent.end();
}

}  // namespace headgate::load
