using System.Collections.Concurrent;
using System.Threading.Channels;
using QuickSilver.Protocol.Sites;
using QuickSilver.Protocol.Sites.Frames;
using QuickSilver.Protocol.Wire;
using QuickSilver.WideArea.Links;
using QuickSilver.WideArea.Presence;
using QuickSilver.WideArea.Records;

namespace QuickSilver.WideArea.Groups;

/// <summary>
/// A group that spans sites, as one life of a gateway has it: the queues between the group's reader, the loop, and the
/// group's publisher. Members say which thread they are for.
/// </summary>
internal sealed class SpanningGroup
{
    private const int MostStreamsOfSite = 4;
    private const ulong MostHeldBack = 256;
    private const long QueuedBytes = 256 << 10;
    private const int Capacity = GatewayPlan.RecordBytes - RecordHead.MaxLength;

    private readonly Dictionary<StreamId, Incomings> _streams = [];
    private readonly Dictionary<StreamId, ulong> _publishedBefore;
    private readonly SeenSenders _seen = new();
    private readonly bool _holdsBack;
    private readonly List<IncomingMessage> _messages = [];
    private readonly GroupNumber _number;

    /// <summary>Makes it.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="holdsBack">True when a record counts as held only when the messages that begin in it have come
    /// whole, up to 256 records.</param>
    /// <param name="published">Streams of other sites, with the last record whose messages another gateway has
    /// published here.</param>
    public SpanningGroup(string name, bool holdsBack, IEnumerable<KeyValuePair<StreamId, ulong>> published)
    {
        Name = name;
        _holdsBack = holdsBack;
        Promise = new HeldPromise(holdsBack);
        _number = GroupNumber.Of(name);
        Packer = new RecordPacker(_number.Check, Capacity);
        _publishedBefore = new(published.Where(one => one.Key.Group == Number));
    }

    /// <summary>Its name.</summary>
    public string Name { get; }

    /// <summary>What links know it by.</summary>
    public uint Number => _number.Number;

    /// <summary>Its members here; null for a group that no member has, which is always sent to. Looked at by the loop.
    /// </summary>
    public GroupMembers? Members { get; init; }

    /// <summary>True for a stream of which gateways that stand by need to know nothing.</summary>
    public bool BeginsAnew { get; init; }

    /// <summary>Messages of this site that wait for the loop. Any thread.</summary>
    public ConcurrentQueue<OutgoingMessage> Waiting { get; } = new();

    /// <summary>Questions of nodes here who holds their messages. Any thread.</summary>
    public ConcurrentQueue<ConfirmAsk> Asks { get; } = new();

    /// <summary>Whether what is acknowledged is held by all members here. Any thread.</summary>
    public HeldPromise Promise { get; }

    /// <summary>Its other sites. Written by the loop.</summary>
    public GroupSites Sites
    {
        get => Volatile.Read(ref field);
        set => Volatile.Write(ref field, value);
    }
    = GroupSites.None;

    /// <summary>Bounds <see cref="Waiting"/>. Any thread.</summary>
    public RoomGate Room { get; } = new(QueuedBytes);

    /// <summary>Packs them. Loop thread only.</summary>
    public RecordPacker Packer { get; }

    /// <summary>Which messages ended in which record. Loop thread only.</summary>
    public SentNotes Sent { get; } = new();

    /// <summary>What is to be published here. Written by the loop, read by the publisher. The windows of the sites that
    /// send bound it.</summary>
    public Channel<IncomingBatch> Incoming { get; } = Channel.CreateUnbounded<IncomingBatch>(
        new UnboundedChannelOptions { SingleReader = true, SingleWriter = true });

    /// <summary>The site that holds the group up; null while none does. Written by the loop.</summary>
    public string? SlowSite
    {
        get => Volatile.Read(ref field);
        set => Volatile.Write(ref field, value);
    }

    /// <summary>Records that other sites may lack. Written by the loop.</summary>
    public int Kept
    {
        get => Volatile.Read(ref field);
        set => Volatile.Write(ref field, value);
    }

    /// <summary>Batches that wait to be published. Written by the loop.</summary>
    public int Unpublished
    {
        get => Volatile.Read(ref field);
        private set => Volatile.Write(ref field, value);
    }

    /// <summary>Messages that came again after a gateway took over, and were dropped. Written by the loop.</summary>
    public long Copies
    {
        get => Volatile.Read(ref field);
        private set => Volatile.Write(ref field, value);
    }

    /// <summary>A record of another site has come, in its turn. Loop thread only.</summary>
    /// <param name="stream">The stream.</param>
    /// <param name="number">Its number.</param>
    /// <param name="record">The record; valid during the call.</param>
    /// <returns>Why the rest of it is dropped.</returns>
    public RejectReason OnRecord(StreamId stream, ulong number, ReadOnlySpan<byte> record)
    {
        _messages.Clear();
        Incomings of = StreamOf(stream);
        bool wasOpen = of.Reader.IsOpen;
        RejectReason reason = of.Reader.Read(record, _messages);
        if (!of.Reader.IsOpen) of.OpenSince = 0;
        else if (!wasOpen || _messages.Count > 0) of.OpenSince = number;
        bool waits = _holdsBack && of.OpenSince > 0 && number - of.OpenSince < MostHeldBack;
        int came = _messages.Count;
        _messages.RemoveAll(message => !_seen.Accept(stream, message) || number <= of.PublishedBefore);
        Copies += came - _messages.Count;
        Offer(new IncomingBatch(stream, number, waits ? of.OpenSince - 1 : number, [.. _messages]));
        return reason;
    }

    /// <summary>Records of another site will never come. Loop thread only.</summary>
    public void OnLost(StreamId stream, ulong last)
    {
        if (_streams.TryGetValue(stream, out Incomings? of))
        {
            of.Reader.Forget();
            of.OpenSince = 0;
        }
        Offer(new IncomingBatch(stream, last, last, []));
    }

    /// <summary>A batch was published. Loop thread only.</summary>
    public void OnPublished(StreamId stream, ulong number)
    {
        Unpublished--;
        if (!_streams.TryGetValue(stream, out Incomings? of)) return;
        of.Published = number;
        of.IsNews = true;
    }

    /// <summary>Takes what has changed of what gateways that stand by are told; null when nothing has. Loop thread
    /// only.</summary>
    /// <param name="all">True to take all that is known.</param>
    public GatewayProgress? TakeProgress(bool all)
    {
        var taken = new List<(StreamId, ulong)>();
        foreach ((StreamId stream, Incomings of) in _streams)
        {
            if (of.Published == 0 || !(of.IsNews || all)) continue;
            of.IsNews = false;
            taken.Add((stream, of.Published));
        }
        (MemberId, ulong)[] held = Sent.TakeNews(all);
        return taken.Count + held.Length > 0 ? new GatewayProgress(Number, held, taken) : null;
    }

    private void Offer(in IncomingBatch batch)
    {
        Unpublished++;
        Incoming.Writer.TryWrite(batch);
    }

    private Incomings StreamOf(StreamId stream)
    {
        if (_streams.TryGetValue(stream, out Incomings? known)) return known;
        // Gateways of earlier lives have sent their last.
        List<StreamId> ofSite = [.. _streams.Keys.Where(id => id.Site == stream.Site).Order()];
        if (ofSite.Count >= MostStreamsOfSite) _streams.Remove(ofSite[0]);
        return _streams[stream] = new Incomings(
            new RecordReader(_number.Check, PendingOptions.LongestMessage), _publishedBefore.GetValueOrDefault(stream));
    }

    private sealed class Incomings(RecordReader reader, ulong publishedBefore)
    {
        public RecordReader Reader => reader;

        // By another gateway of this site.
        public ulong PublishedBefore => publishedBefore;

        public ulong Published { get; set; }

        public bool IsNews { get; set; }

        // The record in which the message that is open began; 0: none is.
        public ulong OpenSince { get; set; }
    }
}
