using System.Net;
using System.Net.Sockets;

namespace QuickSilver.Membership;

/// <summary>
/// The membership of one machine without configuration. The one process that binds the well-known loopback port serves
/// all clusters of the machine. All nodes connect to it, including its own. When it ends, every survivor tries to bind
/// the port; one succeeds, and the others connect to it.
/// <para>
/// Several users may share a machine, each with a key of its own. A port that another key serves is passed over for the
/// next one below. A node therefore looks at all ports before it serves at a free one: its cluster may be at a later
/// port. It returns first to the port where it was.
/// </para>
/// </summary>
/// <param name="settings">The settings for a host, if this process becomes one; the endpoint has the first
/// port.</param>
/// <param name="hostEvents">Receives the events of that host.</param>
/// <param name="ports">The number of ports to try, downwards; more than one only with security.</param>
internal sealed class LoopbackConnector(
    MembershipHostSettings settings, IMembershipHostEvents hostEvents, int ports = 1)
    : MembershipConnector(settings.Security)
{
    private readonly OwnHost[] _hosts =
    [
        .. Enumerable.Range(0, ports).Select(index => new OwnHost(
            started: null,
            settings with { EndPoint = new IPEndPoint(settings.EndPoint.Address, settings.EndPoint.Port - index) },
            hostEvents)),
    ];

    private readonly bool[] _passedOver = new bool[ports];
    private int _preferred;

    /// <summary>True while this process serves.</summary>
    public bool IsServing => Array.Exists(_hosts, static host => host.IsServing);

    /// <inheritdoc/>
    public override MembershipHost? Host =>
        Array.Find(_hosts, static host => host.IsServing)?.Serving;

    /// <inheritdoc/>
    public override async ValueTask<Reached> TryConnectAsync(ILinkEvents events, CancellationToken stop)
    {
        if (ports == 1) return await TryPortAsync(0, events, stop).ConfigureAwait(false);
        int free = -1;
        var failures = new List<Reached>();
        foreach (int index in Order())
        {
            if (!_hosts[index].IsServing && IsFree(_hosts[index].EndPoint))
            {
                if (free < 0) free = index;
                continue;
            }
            Reached reached = await TryPortAsync(index, events, stop).ConfigureAwait(false);
            if (reached.Socket is not null)
            {
                _preferred = index;
                return reached;
            }
            // Its process may be about to end, or to answer: another port could split the cluster.
            if (!reached.IsVerdict) return reached;
            failures.Add(reached);
            if (!_passedOver[index]) events.OnPassedOver(reached.Failure);
            _passedOver[index] = true;
        }
        if (free >= 0)
        {
            Reached reached = await TryPortAsync(free, events, stop).ConfigureAwait(false);
            if (reached.Socket is not null) _preferred = free;
            return reached with { IsVerdict = false };
        }
        return new Reached(
            null, null,
            $"all ports of the membership on this machine are served with other keys: {failures[0].Failure}. "
            + "Choose another Membership.Port",
            IsVerdict: true);
    }

    /// <inheritdoc/>
    public override async ValueTask DisposeAsync()
    {
        foreach (OwnHost host in _hosts) await host.DisposeAsync().ConfigureAwait(false);
    }

    private IEnumerable<int> Order()
    {
        yield return _preferred;
        for (int index = 0; index < ports; index++)
        {
            if (index != _preferred) yield return index;
        }
    }

    private async ValueTask<Reached> TryPortAsync(int index, ILinkEvents events, CancellationToken stop)
    {
        string refusal = await _hosts[index].TryServeAsync(events, stop).ConfigureAwait(false);
        if (refusal.Length > 0) return Reached.Failed(refusal);
        IPEndPoint place = _hosts[index].EndPoint;
        return await TryConnectAsync(place.Address.ToString(), place.Port, events, stop).ConfigureAwait(false);
    }

    // A connection to a port without a listener takes two seconds on Windows; to bind it takes no time anywhere.
    private static bool IsFree(IPEndPoint place)
    {
        try
        {
            using var probe = new Socket(place.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
            if (OperatingSystem.IsWindows()) probe.ExclusiveAddressUse = true;
            probe.Bind(place);
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }
}
