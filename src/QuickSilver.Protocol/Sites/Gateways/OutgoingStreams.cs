using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Sites.Frames;
using QuickSilver.Protocol.Sites.Overlay;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Sites.Gateways;

/// <summary>The streams of this site, one a group: who they are for, who holds them, and what is sent again.</summary>
internal sealed class OutgoingStreams
{
    // What of a standing stream is sent again at a time.
    private const int RepairedAtOnce = 64;

    private readonly List<OutgoingStream> _streams = [];
    private readonly int _site;
    private readonly ulong _node;
    private readonly SiteMap _map;
    private readonly GatewaySettings _settings;
    private readonly LinkStates _states;
    private readonly Router _router;
    private readonly GatewayCounters _counters;
    private readonly Alarm _alarm;
    private readonly Alarm _givesUp;
    private readonly Instant[] _keptUntil;
    private SiteSet _reached;

    public OutgoingStreams(
        int site, ulong node, SiteMap map, GatewaySettings settings, LinkStates states, Router router,
        GatewayCounters counters, AlarmQueue alarms)
    {
        _site = site;
        _node = node;
        _map = map;
        _settings = settings;
        _states = states;
        _router = router;
        _counters = counters;
        _alarm = new Alarm(alarms, OnAlarm);
        _givesUp = new Alarm(alarms, now => OnChange(-1, now));
        _keptUntil = new Instant[map.Count];
    }

    /// <summary>Records that some site may lack, of all streams.</summary>
    public int Kept => _streams.Sum(static stream => stream.Kept);

    /// <summary>Begins: sites that nothing is known of are waited for from now on.</summary>
    public void Start(Instant now)
    {
        if (_settings.HoldTime <= TimeSpan.Zero) return;
        Array.Fill(_keptUntil, now + _settings.HoldTime);
        _givesUp.Set(now + _settings.HoldTime);
    }

    /// <summary>Ends all.</summary>
    public void Stop()
    {
        _alarm.Cancel();
        _givesUp.Cancel();
    }

    /// <summary>Records of a group that some site may lack.</summary>
    public int KeptOf(uint group) => Find(group)?.Kept ?? 0;

    /// <summary>The lowest record of a group that some site may lack; 1 before the first.</summary>
    public ulong LowestOf(uint group) => Find(group)?.Lowest ?? 1;

    /// <summary>The site that holds up a group; negative when none does.</summary>
    public int SlowestOf(uint group) => Find(group)?.Slowest ?? -1;

    /// <summary>Sites that a group's stream is for; none before its first record.</summary>
    public SiteSet TargetsOf(uint group) => Find(group)?.Targets ?? default;

    /// <summary>The number up to which a site holds a group's stream.</summary>
    public ulong HeldOf(uint group, int site) => Find(group)?.HeldBy(site) ?? 0;

    /// <summary>Sends a record to all sites with members of a group.</summary>
    /// <returns>Its number; 0 when the window is full.</returns>
    public ulong Send(uint group, ReadOnlyMemory<byte> payload, Instant now)
    {
        OutgoingStream stream = Of(group, now);
        if (!stream.HasRoom) return 0;
        ulong number = stream.Add(payload, now);
        Route(stream, number, stream.Targets, now);
        if (stream.Targets.IsEmpty) stream.SetTargets(stream.Targets, now);
        SetAlarm();
        return number;
    }

    /// <summary>True when a record to a group may be sent.</summary>
    public bool HasRoom(uint group) => Find(group) is not { HasRoom: false };

    /// <summary>A site tells what it holds.</summary>
    public RejectReason OnHeld(int from, in HeldList list, Instant now)
    {
        if (list.Origin != _node) return RejectReason.None;
        foreach ((uint group, ulong held) in list)
        {
            if (Find(group) is not { } stream || !stream.OnHeld(from, held, now)) return RejectReason.NeverSent;
        }
        SetAlarm();
        return RejectReason.None;
    }

    /// <summary>Links or groups have changed, or a gateway has restarted.</summary>
    /// <param name="restarted">The site of that gateway; negative when none has.</param>
    /// <param name="now">The present instant.</param>
    public void OnChange(int restarted, Instant now)
    {
        SiteSet back = NoteReached(now);
        foreach (OutgoingStream stream in _streams)
        {
            if (restarted >= 0) stream.Forget(restarted);
            SiteSet added = stream.SetTargets(TargetsNow(stream.Id.Group, now), now) | (back & stream.Targets);
            if (added.IsEmpty) continue;
            for (ulong number = stream.Lowest; number < stream.Next; number++)
                Repair(stream, number, added & stream.Lacking(number), now);
        }
        SetAlarm();
    }

    // Returns the sites that can be reached and could not before; what is kept for them is sent again.
    private SiteSet NoteReached(Instant now)
    {
        SiteSet reached = _states.Current.TreeOf(_site).Sites;
        SiteSet back = reached.Except(_reached);
        SiteSet gone = _reached.Except(reached);
        _reached = reached;
        if (_settings.HoldTime <= TimeSpan.Zero) return default;
        Instant next = Instant.Never;
        for (int site = 0; site < _keptUntil.Length; site++)
        {
            if (gone.Contains(site)) _keptUntil[site] = now + _settings.HoldTime;
            if (!reached.Contains(site) && _keptUntil[site] > now && _keptUntil[site] < next) next = _keptUntil[site];
        }
        if (next == Instant.Never) _givesUp.Cancel();
        else _givesUp.Set(next);
        return back;
    }

    private void Repair(OutgoingStream stream, ulong number, SiteSet sites, Instant now)
    {
        if (sites.IsEmpty) return;
        _counters.Repaired++;
        Route(stream, number, sites, now);
    }

    private void OnAlarm(Instant now)
    {
        foreach (OutgoingStream stream in _streams)
        {
            if (stream.StandsAt(_settings.RepairAfter) > now) continue;
            ulong end = Math.Min(stream.Next, stream.Lowest + RepairedAtOnce);
            for (ulong number = stream.Lowest; number < end; number++)
                Repair(stream, number, stream.Lacking(number) & _states.Current.TreeOf(_site).Sites, now);
            stream.OnRepaired(now);
        }
        SetAlarm();
    }

    private void Route(OutgoingStream stream, ulong number, SiteSet targets, Instant now)
    {
        if (targets.IsEmpty) return;
        var head = new RecordHead
        {
            Kind = RecordKind.Message,
            Targets = targets,
            Stream = stream.Id,
            Number = number,
            Lowest = stream.Lowest,
        };
        _router.Send(head, stream[number], now);
    }

    private OutgoingStream Of(uint group, Instant now)
    {
        Debug.Assert(group > 0, "group 0 is that of no stream");
        if (Find(group) is { } known) return known;
        var stream = new OutgoingStream(new StreamId(_site, _node, group), _map.Count, _settings.Window);
        stream.SetTargets(TargetsNow(group, now), now);
        _streams.Add(stream);
        return stream;
    }

    private OutgoingStream? Find(uint group) => _streams.Find(stream => stream.Id.Group == group);

    private SiteSet TargetsNow(uint group, Instant now)
    {
        SiteSet members = _states.Members(group);
        SiteSet targets = members & _states.Current.TreeOf(_site).Sites;
        for (int site = 0; site < _keptUntil.Length; site++)
        {
            if (_keptUntil[site] <= now) continue;
            if (members.Contains(site) || _states.Of(site) is null) targets = targets.With(site);
        }
        return targets.Without(_site);
    }

    private void SetAlarm()
    {
        Instant due = Instant.Never;
        foreach (OutgoingStream stream in _streams)
        {
            Instant stands = stream.StandsAt(_settings.RepairAfter);
            if (stands < due) due = stands;
        }
        if (due == Instant.Never) _alarm.Cancel();
        else if (!_alarm.IsSet || _alarm.Due != due) _alarm.Set(due);
    }
}
