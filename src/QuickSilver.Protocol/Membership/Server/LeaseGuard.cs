using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Probing;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// Ends an elected server with its lease: by an alarm, and by holding back its frames until that alarm fires. Core
/// thread only.
/// </summary>
/// <param name="alarms">The alarms of the server.</param>
/// <param name="lease">The lease.</param>
/// <param name="clock">The clock of the lease.</param>
/// <param name="end">Ends the server, once.</param>
/// <param name="probes">Hooks of simulator tests.</param>
internal sealed class LeaseGuard(
    AlarmQueue alarms, ServingLease lease, IClock clock, Action end, Probes probes)
{
    private Alarm? _due;
    private bool _hasEnded;

    /// <summary>The first term of the server.</summary>
    public uint Term => lease.Term;

    /// <summary>The instance of the electorate that has granted the lease; 0: a store has.</summary>
    public ulong Electorate => lease.Electorate;

    /// <summary>Starts to watch.</summary>
    public void Start(Instant now)
    {
        _due = new Alarm(alarms, OnDue);
        OnDue(now);
    }

    /// <summary>Lets frames pass while the lease is valid.</summary>
    public LeasedLinks Wrap(IServerLinks links) => new(links, lease, clock, OnHeldBack);

    /// <summary>The lease has been renewed by a call that began at an instant of its clock.</summary>
    public void Renew(Instant asked) => lease.TryRenew(asked, clock.Now);

    /// <summary>The lease is lost.</summary>
    public void Lose(Instant now)
    {
        lease.Lose();
        OnDue(now);
    }

    /// <summary>Cancels the alarm.</summary>
    public void Stop()
    {
        _hasEnded = true;
        _due?.Cancel();
    }

    // The lease may have been renewed since the alarm was set.
    private void OnDue(Instant now)
    {
        if (_hasEnded) return;
        TimeSpan left = lease.End - clock.Now;
        if (left > TimeSpan.Zero)
        {
            _due!.Set(now + left);
            return;
        }
        probes.Reached("a server ends with its lease");
        Stop();
        end();
    }

    // The server is in the middle of its work: it ends with the next alarm.
    private void OnHeldBack()
    {
        probes.Reached("a frame is held back since the lease has ended");
        if (!_hasEnded) _due!.Set(Instant.Zero);
    }
}
