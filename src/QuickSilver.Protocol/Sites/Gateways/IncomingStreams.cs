using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Sites.Frames;
using QuickSilver.Protocol.Sites.Overlay;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Sites.Gateways;

/// <summary>
/// The streams of other sites: copies are dropped, and senders are told what is held. Streams of a gateway's earlier
/// life end a while after the new one is known.
/// </summary>
internal sealed class IncomingStreams
{
    private readonly Dictionary<StreamId, IncomingStream> _byId = [];
    private readonly List<IncomingStream> _streams = [];
    private readonly List<IncomingStream> _dirty = [];
    private readonly ulong[] _oldest;
    private readonly ulong[] _newest;
    private readonly Instant[] _endAt;
    private readonly StreamId _self;
    private readonly GatewaySettings _settings;
    private readonly IGatewayHost _host;
    private readonly Router _router;
    private readonly GatewayCounters _counters;
    private readonly Alarm _tell;
    private readonly Alarm _end;
    private readonly Dictionary<uint, Instant> _joined = [];
    private uint[] _groups = [];

    public IncomingStreams(
        int site, ulong node, SiteMap map, GatewaySettings settings, IGatewayHost host, Router router,
        GatewayCounters counters, AlarmQueue alarms)
    {
        _self = new StreamId(site, node, 0);
        _settings = settings;
        _host = host;
        _router = router;
        _counters = counters;
        _oldest = new ulong[map.Count];
        _newest = new ulong[map.Count];
        _endAt = new Instant[map.Count];
        Array.Fill(_endAt, Instant.Never);
        _tell = new Alarm(alarms, Tell);
        _end = new Alarm(alarms, EndOld);
    }

    /// <summary>How many streams are known.</summary>
    public int Count => _streams.Count;

    /// <summary>Records kept beyond missing ones, of all streams.</summary>
    public int Ahead => _streams.Sum(static stream => stream.Ahead);

    /// <summary>Begins: nothing was sent to this gateway before.</summary>
    /// <param name="groups">Groups with members here, ascending.</param>
    public void Start(uint[] groups) => _groups = groups;

    /// <summary>Ends all.</summary>
    public void Stop()
    {
        _tell.Cancel();
        _end.Cancel();
    }

    /// <summary>A record has come for this site.</summary>
    public void Accept(in RecordHead head, ReadOnlySpan<byte> payload, Instant now)
    {
        StreamId id = head.Stream;
        if (id.Node < _oldest[id.Site])
        {
            _counters.Rejects.Count(RejectReason.RemovedSender);
            return;
        }
        if (!_byId.TryGetValue(id, out IncomingStream? stream))
        {
            if (_streams.Count >= _settings.MostStreams)
            {
                _counters.Rejects.Count(RejectReason.NoRoom);
                return;
            }
            stream = new IncomingStream(id, head.Lowest, _settings, _host);
            // What was under way when the last members left may begin a stream that then lacks what they missed.
            if (!Wants(id.Group)) stream.PassesUntil = Instant.Never;
            else if (_joined.TryGetValue(id.Group, out Instant at)) stream.PassesUntil = at + _settings.PassTime;
            _byId.Add(id, stream);
            _streams.Add(stream);
        }
        RejectReason reason = stream.Accept(head.Number, head.Lowest, payload, _counters, now);
        if (reason == RejectReason.Replayed) _counters.Duplicates++;
        else _counters.Rejects.Count(reason);
        MarkDirty(stream, now);
    }

    /// <summary>Other groups have members here. What is missing of the others was not meant for this site.</summary>
    /// <param name="groups">Ascending.</param>
    /// <param name="now">The present instant.</param>
    public void SetGroups(uint[] groups, Instant now)
    {
        foreach (uint group in _groups)
        {
            bool stays = Array.BinarySearch(groups, group) >= 0;
            if (!stays || (_joined.TryGetValue(group, out Instant at) && at + _settings.PassTime <= now))
                _joined.Remove(group);
        }
        foreach (uint group in groups)
        {
            if (!Wants(group)) _joined[group] = now;
        }
        _groups = groups;
        foreach (IncomingStream stream in _streams)
        {
            if (!Wants(stream.Id.Group)) stream.PassesUntil = Instant.Never;
            else if (stream.PassesUntil == Instant.Never) stream.PassesUntil = now + _settings.PassTime;
        }
    }

    /// <summary>The host has taken all records of a stream up to a number.</summary>
    public void OnTaken(StreamId id, ulong number, Instant now)
    {
        if (_byId.TryGetValue(id, out IncomingStream? stream) && stream.OnTaken(number)) MarkDirty(stream, now);
    }

    /// <summary>A site's gateway is a node that was not known before.</summary>
    public void OnNode(int site, ulong node, Instant now)
    {
        if (node <= _newest[site]) return;
        _newest[site] = node;
        _endAt[site] = now + _settings.OldNodeTime;
        _end.SetIfEarlier(_endAt[site]);
    }

    private bool Wants(uint group) => Array.BinarySearch(_groups, group) >= 0;

    private void MarkDirty(IncomingStream stream, Instant now)
    {
        if (stream.IsDirty) return;
        stream.IsDirty = true;
        _dirty.Add(stream);
        _tell.SetIfEarlier(now + _settings.HeldPause);
    }

    private void Tell(Instant now)
    {
        _dirty.Sort(static (left, right) => left.Id.CompareTo(right.Id));
        Span<(uint Group, ulong Held)> held = stackalloc (uint, ulong)[HeldList.MaxStreams];
        int count = 0;
        for (int index = 0; index < _dirty.Count; index++)
        {
            StreamId id = _dirty[index].Id;
            _dirty[index].IsDirty = false;
            held[count++] = (id.Group, _dirty[index].Held);
            bool isLast = index + 1 == _dirty.Count || _dirty[index + 1].Id.Node != id.Node
                || _dirty[index + 1].Id.Site != id.Site;
            if (!isLast && count < held.Length) continue;
            TellOne(id, held[..count], now);
            count = 0;
        }
        _dirty.Clear();
    }

    private void TellOne(StreamId origin, scoped ReadOnlySpan<(uint Group, ulong Held)> held, Instant now)
    {
        Span<byte> bytes = stackalloc byte[HeldList.MaxLength];
        var writer = new WireWriter(bytes);
        HeldList.Write(ref writer, origin.Node, held);
        var head = new RecordHead
        {
            Kind = RecordKind.Held,
            Targets = SiteSet.Of(origin.Site),
            Stream = _self,
        };
        _router.Send(head, bytes[..writer.Written].ToArray(), now);
    }

    private void EndOld(Instant now)
    {
        Instant next = Instant.Never;
        for (int site = 0; site < _endAt.Length; site++)
        {
            if (_endAt[site] <= now) EndBefore(site);
            else if (_endAt[site] < next) next = _endAt[site];
        }
        if (next != Instant.Never) _end.Set(next);
    }

    private void EndBefore(int site)
    {
        _endAt[site] = Instant.Never;
        _oldest[site] = _newest[site];
        for (int index = _streams.Count - 1; index >= 0; index--)
        {
            IncomingStream stream = _streams[index];
            if (stream.Id.Site != site || stream.Id.Node >= _oldest[site]) continue;
            stream.Close(_counters);
            _streams.RemoveAt(index);
            _byId.Remove(stream.Id);
            _dirty.Remove(stream);
        }
    }
}
