using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// Survivors of another cluster that wait at a server with a young cluster of its own. A single report proves nothing,
/// so they are counted by their connections. The young cluster is given up only for as many survivors as it has nodes
/// in groups, and for at least two, of as many identities. Until then they wait, for the reconnect grace at most. Core
/// thread only.
/// </summary>
internal sealed class OlderClaims
{
    private readonly ServerParts _parts;
    private readonly List<Claim> _claims = [];
    private readonly Alarm _alarm;

    /// <summary>Begins without survivors.</summary>
    public OlderClaims(ServerParts parts)
    {
        _parts = parts;
        _alarm = new Alarm(parts.Alarms, RefuseLate);
        parts.Pauses.Tell(OnPaused);
    }

    /// <summary>A survivor has reported, and waits.</summary>
    public void Add(long connection, HelloFrame hello, byte[] report, ReportFrame read, Instant now)
    {
        var named = new HashSet<ulong>();
        foreach (ReportFrame.ViewEntry view in read.Views) named.UnionWith(view.Members);
        named.ExceptWith(read.Removed);
        _claims.Add(new Claim(connection, hello, report, named, now + _parts.Settings.ReconnectGrace));
        if (!_alarm.IsSet) _alarm.Set(_claims[0].Due);
    }

    /// <summary>
    /// Number of survivors of a cluster that wait here: open connections of different nodes at different addresses.
    /// </summary>
    public int CountOf(ulong instance)
    {
        DropClosed();
        var numbers = new HashSet<ulong>();
        var addresses = new HashSet<NetEndpoint>();
        foreach (Claim claim in _claims)
        {
            if (claim.Hello.Instance != instance) continue;
            numbers.Add(claim.Hello.Number.Key);
            addresses.Add(claim.Hello.Control);
        }
        return Math.Min(numbers.Count, addresses.Count);
    }

    /// <summary>Number of identities of the survivors of a cluster that wait here; those without one are one.</summary>
    public int IdentitiesOf(ulong instance) => _claims
        .Where(claim => claim.Hello.Instance == instance)
        .Select(claim => _parts.Connections.IdentityOf(claim.Connection))
        .Distinct(StringComparer.Ordinal)
        .Count();

    /// <summary>Number of nodes that the waiting survivors name, themselves included.</summary>
    public int NamedIn(ulong instance)
    {
        var named = new HashSet<ulong>();
        foreach (Claim claim in _claims)
        {
            if (claim.Hello.Instance != instance) continue;
            named.UnionWith(claim.Named);
            named.Add(claim.Hello.Number.Key);
        }
        return named.Count;
    }

    /// <summary>Takes the survivors of a cluster, in the order of arrival.</summary>
    public List<(long Connection, HelloFrame Hello, byte[] Report)> Take(ulong instance)
    {
        DropClosed();
        var taken = new List<(long, HelloFrame, byte[])>();
        foreach (Claim claim in _claims)
        {
            if (claim.Hello.Instance == instance) taken.Add((claim.Connection, claim.Hello, claim.Report));
        }
        _claims.RemoveAll(claim => claim.Hello.Instance == instance);
        return taken;
    }

    /// <summary>Refuses the survivors of a cluster: it is smaller than this one.</summary>
    public void Refuse(ulong instance)
    {
        foreach ((long connection, _, _) in Take(instance))
            _parts.Connections.Refuse(connection, MembershipRefusal.OtherCluster);
    }

    /// <summary>Cancels the timer.</summary>
    public void Stop() => _alarm.Cancel();

    // Other survivors may have called during a pause of the server.
    private void OnPaused(TimeSpan pause, Instant now)
    {
        for (int index = 0; index < _claims.Count; index++)
            _claims[index] = _claims[index] with { Due = _claims[index].Due + pause };
    }

    private void RefuseLate(Instant now)
    {
        _parts.Pauses.Look(now);
        DropClosed();
        while (_claims.Count > 0 && _claims[0].Due <= now)
        {
            long late = _claims[0].Connection;
            _claims.RemoveAt(0);
            _parts.Connections.Refuse(late, MembershipRefusal.OtherCluster);
        }
        if (_claims.Count > 0) _alarm.Set(_claims[0].Due);
    }

    private void DropClosed() => _claims.RemoveAll(claim =>
        !_parts.Connections.TryFind(claim.Connection, out ServerNode? node) || node is not null);

    private sealed record Claim(long Connection, HelloFrame Hello, byte[] Report, HashSet<ulong> Named, Instant Due);
}
