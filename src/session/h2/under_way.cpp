// Lists and ends the streams of a connection for an operator.

#include "h2_session.hpp"

#include <boost/asio/error.hpp>

namespace headgate::session {

Session::UnderWay H2Session::under_way(std::uint32_t from) const noexcept {
  for (auto at = streams_.place_of(static_cast<std::int32_t>(from)); at != streams_.end(); ++at)
    if (const auto* const x = (*at)->exchange.current()) return {x, static_cast<std::uint32_t>((*at)->id)};
  return {};
}

Session::Stopped H2Session::stop(Afterwards afterwards, std::span<const std::uint32_t> streams) noexcept {
  const Hold hold(*this);
  Stopped out;
  for (const auto id : streams) {
    auto* const stream = find(static_cast<std::int32_t>(id));
    if (stream == nullptr || stream->exchange.current() == nullptr) continue;
    ++(stream->exchange.answered() ? out.broken_off : out.answered);
    stop(*stream);
  }
  if (afterwards == Afterwards::close) finish_goaway();
  return out;
}

/// Ends a stream for an operator. Each wake below may end the exchange and delete its stream.
void H2Session::stop(H2Stream& stream) noexcept {
  const auto id = stream.id;
  const bool answered = stream.exchange.answered();
  stream.stopped = answered;
  stream.body.fail(boost::asio::error::operation_aborted);
  if (answered) stream.reply.fail(boost::asio::error::operation_aborted);
  const auto server = stream.exchange.end_early(gateway::ActiveExchange::Because::operator_);
  stream.body.cancel();
  if (auto* const rest = find(id); rest != nullptr && answered) rest->reply.cancel();
  server.cancel();
}

}  // namespace headgate::session
