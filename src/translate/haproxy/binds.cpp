// Translates "bind", which says where a frontend listens.

#include "translate/draft/json.hpp"
#include "translate/draft/protect.hpp"
#include "translate/haproxy/work.hpp"

#include <algorithm>

namespace headgate::translate {

void haproxy_listener(HaproxyWork& work, const HaproxyProxy& proxy, const HaproxyLine& line) {
  std::string all(line.word(1));
  for (std::string_view rest = all; !rest.empty();) {
    auto address = std::string(rest.substr(0, rest.find(',')));
    rest.remove_prefix(std::min(rest.size(), address.size() + 1));
    for (const auto* kind : {"ipv4@", "ipv6@"})
      if (address.starts_with(kind)) address.erase(0, 5);
    if (address.starts_with("*:") || address.starts_with("0.0.0.0:")) address.erase(0, address.find(':'));
    if (address.starts_with(":::") || address.starts_with("[::]:")) address = address.substr(address.rfind(':'));
    DraftEntry listener;
    listener.spot = line.spot;
    listener.from = proxy.section->name + ": " + line.text();
    if (address.starts_with('/') || address.starts_with("unix@") || address.starts_with("abns@") ||
        address.starts_with("fd@") || address.find('$') != std::string::npos) {
      work.draft.say(Matter::lost, line.spot, line.text(), "headgate only listens on TCP, at fixed addresses");
      continue;
    }
    listener.set("address", json_text(address));
    const bool tls = std::find(line.words.begin(), line.words.end(), "ssl") != line.words.end();
    if (const auto certificate = line.after("crt"); tls && !certificate.empty())
      listener.set("tls", object_of({{"certificate", json_text(certificate)}, {"key", json_text(certificate)}}));
    else if (tls)
      close_listener(listener, line.spot, line.text());
    if (const auto ca = line.after("ca-file"); tls && !ca.empty() && !listener.off)
      listener.set("tls", object_of({{"certificates", list_of({std::string(listener.get("tls"))})},
                                     {"client_ca", json_text(ca)}}));
    if (std::find(line.words.begin(), line.words.end(), "accept-proxy") != line.words.end()) {
      listener.set("proxy_protocol", "true");
      say(listener, Matter::lost, line.spot, "accept-proxy",
          "headgate only accepts it from the proxies in \"identity\": { \"trusted_proxies\" }: name them there");
    }
    const auto same = std::find_if(work.draft.listeners.begin(), work.draft.listeners.end(),
                                   [&](const auto& each) { return each.get("address") == listener.get("address"); });
    if (same == work.draft.listeners.end())
      work.draft.listeners.push_back(std::move(listener));
    else
      work.draft.say(Matter::differs, line.spot, line.text(), "another frontend listens on this address");
  }
}

}  // namespace headgate::translate
