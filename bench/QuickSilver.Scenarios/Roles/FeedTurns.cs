using System.Buffers;
using QuickSilver.Scenarios.Traffic;

namespace QuickSilver.Scenarios.Roles;

/// <summary>
/// One source behind the feeds of all groups: a message belongs to the group whose turn it is in the source's round, so
/// a feed that is asked out of turn says no and is signalled when its turn comes. With one group that never happens. At
/// a fixed rate the core's own timer asks again when the next message is due: a feed that waited would hold up the
/// core. Core thread, but for <see cref="Start"/>.
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
    public void Start() => _registrations[0].Signal();

    private bool TryWrite(int group, IBufferWriter<byte> message)
    {
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
        next.Write(message.GetSpan(_size)[.._size]);
        message.Advance(_size);
        return true;
    }

    // With one group only: with several each message belongs to another than the one before.
    private int WriteRun(Span<byte> room, int length)
    {
        if (length != _size || _registrations.Length > 1) return 0;
        int written = 0;
        for (; room.Length >= length && _source.IsBehind && _source.TryNext(out MeasuredHeader next); written++)
        {
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

        public int WriteRun(Span<byte> room, int length) => turns.WriteRun(room, length);
    }
}
