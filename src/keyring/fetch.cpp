#include "fetch.hpp"

#include "headgate/keyring/schedule.hpp"

#include <utility>

namespace headgate::keyring {
namespace {

constexpr std::uint64_t kMaxBody = 1024UL * 1024;
constexpr std::size_t kMaxEtag = 256;
constexpr std::size_t kMaxQuoted = 200;

FetchResult failed(std::string why) { return FetchResult(boost::system::in_place_error, std::move(why)); }

FetchResult judge(net::HttpResult result, bool had_some) {
  if (result.has_error()) return failed(std::move(result.error()));
  auto& reply = *result;
  if (!reply.unfinished.empty()) return failed(std::move(reply.unfinished));
  auto to = std::string(reply.field("Location").substr(0, kMaxQuoted));
  if (const auto query = to.find('?'); query != to.npos) to.replace(query, to.npos, "?...");
  if (reply.status != 304 && reply.status / 100 == 3 && !to.empty())
    return failed("it redirects to " + to +
                  ", and redirects are not followed; if the keys are there, configure that URL");
  if (reply.status != 200 && !(reply.status == 304 && had_some))
    return failed("it answered " + std::to_string(reply.status));

  Fetched out;
  out.unchanged = reply.status == 304;
  out.lifetime = lifetime(reply.field("Cache-Control"), reply.field("Age"));
  out.etag = reply.field("ETag");
  if (out.etag.size() > kMaxEtag) out.etag.clear();
  out.body = std::move(reply.body);
  return out;
}

}  // namespace

std::shared_ptr<net::HttpCall> start_fetch(boost::asio::io_context& loop, FetchRequest request,
                                           std::function<void(FetchResult)> done) {
  net::HttpRequest get{.url = std::move(request.url),
                       .trust = std::move(request.trust),
                       .fields = "Accept: application/jwk-set+json, application/json\r\n",
                       .body = {},
                       .deadline = request.deadline,
                       .max_body = kMaxBody};
  if (!request.etag.empty()) get.fields += "If-None-Match: " + request.etag + "\r\n";
  return net::HttpCall::start(loop, std::move(get),
                              [done = std::move(done), had_some = !request.etag.empty()](net::HttpResult result) {
                                done(judge(std::move(result), had_some));
                              });
}

}  // namespace headgate::keyring
