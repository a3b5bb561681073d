using QuickSilver.Membership.Peers;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Server;

namespace QuickSilver.Membership.Election;

/// <summary>
/// A host that this process runs under a lease, and the renewals of that lease. The host ends by itself before the
/// lease does; disposal ends the host, and then gives the lease up.
/// </summary>
internal sealed class ElectedTerm : IAsyncDisposable
{
    private const int RenewalsInEach = 3;
    private static readonly TimeSpan GiveUpTime = TimeSpan.FromSeconds(2);

    private readonly IMembershipLease _lease;
    private readonly IClock _clock;
    private readonly IMembershipHostEvents _events;
    private readonly CancellationTokenSource _stop = new();
    private readonly Task _renewing;

    /// <summary>Lets a host serve.</summary>
    /// <param name="host">The host; it admits nobody so far.</param>
    /// <param name="lease">The lease that was granted.</param>
    /// <param name="asked">The instant before the call that got it.</param>
    /// <param name="clock">The clock of leases.</param>
    /// <param name="events">Receives failures of renewals.</param>
    public ElectedTerm(
        MembershipHost host, IMembershipLease lease, Instant asked, IClock clock, IMembershipHostEvents events)
    {
        Host = host;
        _lease = lease;
        _clock = clock;
        _events = events;
        var serving = new ServingLease(lease.Term, lease.Duration, asked)
        {
            Electorate = (lease as PeerLease)?.Instance ?? 0,
        };
        host.Grant(serving, clock);
        using (ExecutionContext.SuppressFlow()) _renewing = Task.Run(RenewAsync);
    }

    /// <summary>The host.</summary>
    public MembershipHost Host { get; }

    /// <summary>Gives up a lease, within a short time: it ends by itself otherwise.</summary>
    public static async ValueTask GiveUpAsync(IMembershipLease lease)
    {
        try
        {
            await lease.DisposeAsync().AsTask().WaitAsync(GiveUpTime).ConfigureAwait(false);
        }
        catch (Exception)
        {
            // The store does not answer.
        }
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync().ConfigureAwait(false);
        await _renewing.ConfigureAwait(false);
        await Host.DisposeAsync().ConfigureAwait(false);
        await GiveUpAsync(_lease).ConfigureAwait(false);
        _stop.Dispose();
    }

    // A call that fails is repeated until the lease has ended: the host knows that by itself.
    private async Task RenewAsync()
    {
        TimeSpan pause = _lease.Duration / RenewalsInEach;
        string reported = "";
        while (true)
        {
            await Task.Delay(pause, _stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (_stop.IsCancellationRequested || !Host.IsRunning) return;
            Instant asked = _clock.Now;
            try
            {
                using var limit = CancellationTokenSource.CreateLinkedTokenSource(_stop.Token);
                limit.CancelAfter(pause);
                bool isKept = await _lease.RenewAsync(limit.Token).AsTask().WaitAsync(limit.Token)
                    .ConfigureAwait(false);
                if (!isKept)
                {
                    Host.Lose();
                    return;
                }
                Host.Renew(asked);
                reported = "";
            }
            catch (Exception failure)
            {
                if (_stop.IsCancellationRequested) return;
                string what = failure is OperationCanceledException
                    ? $"no answer within {pause.TotalSeconds:0.#} s"
                    : failure.Message;
                if (what != reported) _events.OnRenewalFailed(what);
                reported = what;
            }
        }
    }
}
