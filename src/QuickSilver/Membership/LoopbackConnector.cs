using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Membership;

/// <summary>
/// The membership of one machine without configuration. The first process of a cluster binds a well-known loopback port
/// and serves its cluster. Nodes of the cluster connect to it, its own included. When it ends, every survivor tries to
/// bind the port; one succeeds, and the others connect to it.
/// <para>
/// A machine may have several clusters, of several names, versions, keys and users. Each has a port of its own. A node
/// therefore looks at all ports before it serves at a free one: its cluster may be at a later port. It returns first to
/// the port where it was. A port is passed over when its server has said that it does not fit, or when it fails in
/// another way and cannot belong to the cluster, or has failed for long.
/// </para>
/// <para>
/// Two processes of one cluster may find different ports free and serve both. So a process that has begun to serve
/// looks once more at the ports that were free before, and gives way to a server of its cluster there.
/// </para>
/// </summary>
/// <param name="settings">The settings for a host, if this process becomes one; the endpoint has the first
/// port.</param>
/// <param name="hostEvents">Receives the events of that host.</param>
/// <param name="ports">The number of ports to try, downwards.</param>
/// <param name="isOfUser">True when only processes of this user can be in the cluster.</param>
internal sealed class LoopbackConnector(
    MembershipHostSettings settings, IMembershipHostEvents hostEvents, int ports = 1, bool isOfUser = false)
    : MembershipConnector(settings.Security)
{
    private const int MostTries = 3;
    private static readonly TimeSpan LongestTrouble = TimeSpan.FromSeconds(15);

    private readonly OwnHost[] _hosts =
    [
        .. Enumerable.Range(0, ports).Select(index => new OwnHost(
            started: null,
            settings with { EndPoint = new IPEndPoint(settings.EndPoint.Address, settings.EndPoint.Port - index) },
            hostEvents)),
    ];

    private readonly Trouble[] _troubles = [.. Enumerable.Range(0, ports).Select(static _ => new Trouble())];
    private readonly string[] _passedOver = new string[ports];
    private int _preferred;

    /// <summary>True while this process serves.</summary>
    public bool IsServing => Array.Exists(_hosts, static host => host.IsServing);

    /// <summary>Finds who listens at a place of this machine.</summary>
    public Func<IPEndPoint, LocalListener?> FindListener { get; init; } = LocalListener.Find;

    /// <inheritdoc/>
    public override MembershipHost? Host =>
        Array.Find(_hosts, static host => host.IsServing)?.Serving;

    /// <inheritdoc/>
    public override async ValueTask<Reached> TryConnectAsync(ILinkEvents events, CancellationToken stop)
    {
        if (ports == 1) return await TryOnlyPortAsync(events, stop).ConfigureAwait(false);
        var free = new List<int>();
        var failures = new List<Reached>();
        foreach (int index in Order())
        {
            if (!_hosts[index].IsServing && IsFree(_hosts[index].EndPoint))
            {
                free.Add(index);
                continue;
            }
            Reached reached = await TryTakenPortAsync(index, events, stop).ConfigureAwait(false);
            if (reached.Socket is not null) return Settle(index, reached);
            if (!reached.IsVerdict) return reached;
            failures.Add(reached);
        }
        if (free.Count > 0) return await ServeAsync(free, events, stop).ConfigureAwait(false);
        foreach (Trouble trouble in _troubles) trouble.Clear();
        return new Reached(
            null, null,
            $"all ports of the membership on this machine are served for others: {failures[0].Failure}. "
            + "Choose another Membership.Port",
            IsVerdict: true);
    }

    /// <inheritdoc/>
    protected override async ValueTask StopAsync()
    {
        foreach (OwnHost host in _hosts) await host.DisposeAsync().ConfigureAwait(false);
    }

    /// <inheritdoc/>
    protected override bool IsOwn(int port) => _hosts[settings.EndPoint.Port - port].IsServing;

    /// <inheritdoc/>
    protected override async ValueTask<Reached?> FindMisfitAsync(
        Reached reached, string place, CancellationToken stop)
    {
        // The one port was chosen: what does not fit there is refused by the server, to the application.
        if (ports == 1) return null;
        var frame = new FrameBuilder();
        bool isSealed = settings.Server.Crypto is not null;
        new SeekFrame(ProtocolVersions.Spoken, isSealed, settings.Server.ClusterName).WriteTo(frame);
        Stream stream = reached.Stream ?? new NetworkStream(reached.Socket!, ownsSocket: false);
        byte[]? answer = await FrameExchange.AskAsync(stream, frame.ToArray(), SeekFrame.MaxAnswerBytes, stop)
            .ConfigureAwait(false);
        if (answer is null) return Misfit("does not speak QuickSilver");
        return SeekFrame.TryReadAnswer(answer) switch
        {
            MembershipRefusal.None => null,
            MembershipRefusal.WrongCluster => Misfit("serves another cluster") with { IsUsual = true },
            MembershipRefusal.WrongVersion => Misfit("serves with another version of QuickSilver"),
            MembershipRefusal.OtherSecurity => Misfit("serves with other security than this node"),
            _ => Misfit("does not speak QuickSilver"),
        };

        Reached Misfit(string what) => new(null, null, $"{place}: the process there {what}", IsVerdict: true);
    }

    private IEnumerable<int> Order()
    {
        yield return _preferred;
        for (int index = 0; index < ports; index++)
        {
            if (index != _preferred) yield return index;
        }
    }

    private Reached Settle(int index, Reached reached)
    {
        _preferred = index;
        foreach (Trouble trouble in _troubles) trouble.Clear();
        return reached;
    }

    private async ValueTask<Reached> ServeAsync(List<int> free, ILinkEvents events, CancellationToken stop)
    {
        int index = free[0];
        Reached reached = await TryPortAsync(index, events, stop).ConfigureAwait(false);
        if (reached.Socket is null) return reached with { IsVerdict = false };
        if (!_hosts[index].IsServing) return Settle(index, reached);
        foreach (int other in free)
        {
            if (other == index || IsFree(_hosts[other].EndPoint)) continue;
            Reached elsewhere = await TryConnectAsync(other, events, stop).ConfigureAwait(false);
            if (elsewhere.Socket is null) continue;
            await reached.CloseAsync().ConfigureAwait(false);
            await _hosts[index].DisposeAsync().ConfigureAwait(false);
            return Settle(other, elsewhere);
        }
        return Settle(index, reached);
    }

    private async ValueTask<Reached> TryOnlyPortAsync(ILinkEvents events, CancellationToken stop)
    {
        Reached reached = await TryPortAsync(0, events, stop).ConfigureAwait(false);
        if (reached.Socket is not null || IsServing) return reached;
        return FindListener(_hosts[0].EndPoint) is { IsOthers: true } listener
            ? reached with { Failure = Others(_hosts[0].EndPoint, listener, $" ({reached.Failure})").Failure }
            : reached;
    }

    /// <summary>Tries a port that somebody has.</summary>
    /// <returns>A connection; or a failure, which is a verdict when the port is to be passed over.</returns>
    private async ValueTask<Reached> TryTakenPortAsync(int index, ILinkEvents events, CancellationToken stop)
    {
        IPEndPoint place = _hosts[index].EndPoint;
        LocalListener? listener = _hosts[index].IsServing ? null : FindListener(place);
        bool isOthers = listener is { IsOthers: true };
        if (isOthers && (isOfUser || _troubles[index].Socket == listener!.Value.Socket))
            return PassOver(index, Others(place, listener!.Value, ""), events);
        Reached reached = await TryPortAsync(index, events, stop).ConfigureAwait(false);
        if (reached.Socket is not null || stop.IsCancellationRequested || _hosts[index].IsServing) return reached;
        if (reached.IsVerdict) return PassOver(index, reached, events);
        if (isOthers)
        {
            _troubles[index].Socket = listener!.Value.Socket;
            return PassOver(index, Others(place, listener.Value, $" ({reached.Failure})"), events);
        }
        // A process of this user that is stopped may serve the cluster, and go on later: another port would split it.
        return (listener is null || !reached.IsSilent) && _troubles[index].IsLasting()
            ? PassOver(index, reached with { IsVerdict = true }, events)
            : reached;
    }

    private Reached PassOver(int index, Reached reached, ILinkEvents events)
    {
        if (_passedOver[index] != reached.Failure) events.OnPassedOver(reached.Failure, reached.IsUsual);
        _passedOver[index] = reached.Failure;
        return reached;
    }

    private static Reached Others(IPEndPoint place, LocalListener listener, string failure) =>
        new(null, null, $"{place}: user {listener.User} of this machine listens there{failure}", IsVerdict: true);

    private async ValueTask<Reached> TryPortAsync(int index, ILinkEvents events, CancellationToken stop)
    {
        string refusal = await _hosts[index].TryServeAsync(events, stop).ConfigureAwait(false);
        return refusal.Length > 0
            ? Reached.Failed(refusal)
            : await TryConnectAsync(index, events, stop).ConfigureAwait(false);
    }

    private ValueTask<Reached> TryConnectAsync(int index, ILinkEvents events, CancellationToken stop)
    {
        IPEndPoint place = _hosts[index].EndPoint;
        return TryConnectAsync(place.Address.ToString(), place.Port, events, stop);
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

    // Failures at a port that are no verdicts, since a server was reached last.
    private sealed class Trouble
    {
        private int _tries;
        private long _since;

        /// <summary>The listener of another user that has failed; 0 for none.</summary>
        public ulong Socket { get; set; }

        /// <summary>Counts a failure.</summary>
        /// <returns>True when there have been several, over some time.</returns>
        public bool IsLasting()
        {
            if (_tries++ == 0) _since = Stopwatch.GetTimestamp();
            return _tries >= MostTries && Stopwatch.GetElapsedTime(_since) >= LongestTrouble;
        }

        /// <summary>Forgets everything.</summary>
        public void Clear()
        {
            _tries = 0;
            Socket = 0;
        }
    }
}
