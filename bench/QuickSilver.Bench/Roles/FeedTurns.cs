using System.Buffers;
using QuickSilver.Bench.Traffic;

namespace QuickSilver.Bench.Roles;

/// <summary>
/// One source behind the feeds of all groups. At full speed each feed has a message of its group whenever it is asked:
/// the node decides whose turn it is. At a fixed rate a message belongs to the group whose turn it is in the source's
/// round, so a feed that is asked out of turn says no and is signalled when its turn comes; with one group that never
/// happens. The core's own timer asks again when the next message is due: a feed that waited would hold up the core.
/// Core thread, but for <see cref="Start"/>.
/// </summary>
internal sealed class FeedTurns
{
    private readonly TrafficSource _source;
    private readonly int _size;
    private readonly FeedRegistration[] _registrations;
    private readonly TaskCompletionSource _done = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private MeasuredHeader _next;
    private bool _hasNext;

    /// <summary>Registers a feed for each group; nothing is asked yet.</summary>
    public FeedTurns(IReadOnlyList<Group> groups, TrafficSource source, int size)
    {
        _source = source;
        _size = size;
        _registrations = [.. groups.Select((group, number) => group.RegisterFeed(new Feed(this, number)))];
    }

    /// <summary>Ends when the source is dry.</summary>
    public Task Completion => _done.Task;

    /// <summary>Begins.</summary>
    public void Start()
    {
        foreach (FeedRegistration registration in _source.IsPaced ? _registrations[..1] : _registrations)
            registration.Signal();
    }

    private bool TryWrite(int group, IBufferWriter<byte> message)
    {
        if (!_source.IsPaced)
        {
            if (_source.TryNextOf(group, out MeasuredHeader own)) return Write(own, message);
            _done.TrySetResult();
            return false;
        }
        MeasuredHeader next = _next;
        if (!_hasNext)
        {
            TimeSpan time = _source.TimeToNext;
            if (time > TimeSpan.Zero)
            {
                _registrations[group].SignalAfter(time);
                return false;
            }
            if (!_source.TryNext(out next))
            {
                _done.TrySetResult();
                return false;
            }
        }
        if (next.Group != group) return Keep(next);
        _hasNext = false;
        return Write(next, message);
    }

    private bool Write(in MeasuredHeader header, IBufferWriter<byte> message)
    {
        header.Write(message.GetSpan(_size)[.._size]);
        message.Advance(_size);
        return true;
    }

    // At a fixed rate with one group only: with several each message belongs to another than the one before.
    private int WriteBatch(int group, Span<byte> room, int length)
    {
        if (length != _size || (_source.IsPaced && _registrations.Length > 1)) return 0;
        int written = 0;
        for (; room.Length >= length && _source.IsBehind; written++)
        {
            if (!_source.TryNextOf(group, out MeasuredHeader next)) break;
            next.Write(room[..length]);
            room = room[length..];
        }
        return written;
    }

    // It is another group's turn.
    private bool Keep(in MeasuredHeader next)
    {
        _next = next;
        _hasNext = true;
        _registrations[next.Group].Signal();
        return false;
    }

    private sealed class Feed(FeedTurns turns, int group) : IMessageFeed
    {
        public bool TryWriteNext(IBufferWriter<byte> message) => turns.TryWrite(group, message);

        public int WriteBatch(Span<byte> room, int length) => turns.WriteBatch(group, room, length);
    }
}
