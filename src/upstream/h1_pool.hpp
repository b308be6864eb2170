#pragma once
// The connections to one server. Last in, first out: a few stay in use, the others reach their idle timeout. But those
// come first that rested while the loop looked at all streams: of them it is known whether bytes came that nobody asked
// for, and the kernel need not be asked. Where none has, the loop looks again.

#include "h1_connection.hpp"
#include "handshakes.hpp"

#include "headgate/net/connect.hpp"
#include "headgate/net/readiness.hpp"
#include "headgate/net/tls_session.hpp"
#include "headgate/upstream/dialler.hpp"
#include "headgate/upstream/environment.hpp"

#include <boost/intrusive/list.hpp>

#include <memory>
#include <string>
#include <vector>

namespace headgate::upstream {

class H1Pool final : public Dialler {
 public:
  /// For server `at` of the options.
  H1Pool(Environment environment, const ServerGroupOptions& options, std::size_t at, const TlsUse& tls,
         balance::ServerPtr row);
  H1Pool(const H1Pool&) = delete;
  H1Pool& operator=(const H1Pool&) = delete;
  ~H1Pool() override { stop(); }
  const std::string& name() const noexcept { return name_; }
  balance::Server& row() noexcept { return *row_; }
  Handshakes& handshakes() noexcept { return handshakes_; }

  void use(const ServerGroupOptions& options) noexcept override;
  CountedAttemptPtr take_idle(std::size_t at) noexcept override;
  Task<Result<CountedAttemptPtr, Failure>> connect(std::size_t at) override;
  void give_back(CountedAttemptPtr attempt) override;
  void lead_to(const std::vector<net::Tcp::endpoint>& addresses) override;
  void break_off() override;
  void stop() override;

 private:
  static void idle(void* self, net::Stream& stream);
  bool stays_idle(H1Connection& connection);
  void note_look() noexcept;
  bool is_silent(H1Connection& connection, bool rested) const noexcept;
  bool taken_down() const noexcept { return (row_->out.load(std::memory_order_relaxed) & balance::kDown) != 0; }
  bool leads_there(const H1Connection& connection) const noexcept;
  Clock::Steady end_of_life();

  Environment environment_;
  std::string upstream_;
  std::string name_;
  balance::ServerPtr row_;
  TlsUse tls_;
  Duration connect_timeout_{};
  Duration idle_timeout_{};
  Duration lifetime_{};
  std::uint32_t max_idle_ = 0;
  std::uint32_t head_bytes_ = 0;
  std::shared_ptr<net::TlsSession> session_;  ///< null without TLS
  Handshakes handshakes_;
  net::Connector connector_;
  std::vector<net::Tcp::endpoint> addresses_;  ///< where the name leads; empty: nobody said
  net::Readiness& readiness_;
  std::vector<H1ConnectionPtr> idle_;
  std::size_t rested_ = 0;   ///< so many of them, from the first, were idle in the last look
  std::uint64_t looks_ = 0;  ///< of the loop, as far as known
  boost::intrusive::list<H1Connection, boost::intrusive::constant_time_size<false>> all_;  ///< that are open
  bool stopped_ = false;
};

}  // namespace headgate::upstream
