using System.Collections.Concurrent;
using System.Threading.Channels;
using QuickSilver.Protocol.Sites;
using QuickSilver.Protocol.Sites.Frames;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.WideArea;

/// <summary>
/// A group that spans sites, as one life of a gateway has it: the queues between the group's reader, the loop, and the group's
/// publisher. Members say which thread they are for.
/// </summary>
internal sealed class SpanningGroup
{
    private const int MostStreamsOfSite = 4;
    private const long QueuedBytes = 256 << 10;
    private const int Capacity = GatewayPlan.RecordBytes - RecordHead.MaxLength;

    private readonly Dictionary<StreamId, RecordReader> _readers = [];
    private readonly List<IncomingMessage> _messages = [];
    private readonly GroupNumber _number;

    /// <summary>Makes it.</summary>
    /// <param name="name">Its name.</param>
    public SpanningGroup(string name)
    {
        Name = name;
        _number = GroupNumber.Of(name);
        Packer = new RecordPacker(_number.Check, Capacity);
    }

    /// <summary>Its name.</summary>
    public string Name { get; }

    /// <summary>What links know it by.</summary>
    public uint Number => _number.Number;

    /// <summary>Messages of this site that wait for the loop. Any thread.</summary>
    public ConcurrentQueue<OutgoingMessage> Waiting { get; } = new();

    /// <summary>Bounds <see cref="Waiting"/>. Any thread.</summary>
    public RoomGate Room { get; } = new(QueuedBytes);

    /// <summary>Packs them. Loop thread only.</summary>
    public RecordPacker Packer { get; }

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

    /// <summary>A record of another site has come, in its turn. Loop thread only.</summary>
    /// <param name="stream">The stream.</param>
    /// <param name="number">Its number.</param>
    /// <param name="record">The record; valid during the call.</param>
    /// <returns>Why the rest of it is dropped.</returns>
    public RejectReason OnRecord(StreamId stream, ulong number, ReadOnlySpan<byte> record)
    {
        _messages.Clear();
        RejectReason reason = ReaderOf(stream).Read(record, _messages);
        Incoming.Writer.TryWrite(new IncomingBatch(stream, number, [.. _messages]));
        return reason;
    }

    /// <summary>Records of another site will never come. Loop thread only.</summary>
    public void OnLost(StreamId stream, ulong last)
    {
        if (_readers.TryGetValue(stream, out RecordReader? reader)) reader.Forget();
        Incoming.Writer.TryWrite(new IncomingBatch(stream, last, []));
    }

    private RecordReader ReaderOf(StreamId stream)
    {
        if (_readers.TryGetValue(stream, out RecordReader? known)) return known;
        // Gateways of earlier lives have sent their last.
        List<StreamId> ofSite = [.. _readers.Keys.Where(id => id.Site == stream.Site).Order()];
        if (ofSite.Count >= MostStreamsOfSite) _readers.Remove(ofSite[0]);
        return _readers[stream] = new RecordReader(_number.Check, PendingOptions.LongestMessage);
    }
}
