using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow.Pull;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Modes;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Timed;

/// <summary>
/// The feed of requests and announcements: one for all timed groups of a node. A word waits as a reference to who has
/// something to say, and is written when the socket asks. O(1) a datagram; allocates nothing once it has grown.
/// </summary>
internal sealed class TimedWords : IFeed
{
    private readonly TimedContext _context;
    private readonly Queue<ITimedWord> _waiting = new();
    private readonly ViewCast _trains;
    private readonly byte[] _room = new byte[TimedContext.LongestWord];

    public TimedWords(TimedContext context)
    {
        _context = context;
        _trains = new ViewCast(context.Mode);
    }

    /// <summary>Adds a word; it must not be waiting.</summary>
    public void Add(ITimedWord word)
    {
        _waiting.Enqueue(word);
        _context.Mode.Roots.Register(this, PriorityClass.Request);
    }

    /// <summary>Stops what is under way: views have ended.</summary>
    public void Detach()
    {
        _trains.Stop();
        _context.Mode.Roots.DropKept(this);
    }

    /// <summary>Drops all words.</summary>
    public void Close()
    {
        _waiting.Clear();
        Detach();
    }

    /// <inheritdoc/>
    public bool TryPull(Instant now, out Train train)
    {
        while (!_trains.TryNext(out train))
        {
            if (!_waiting.TryPeek(out ITimedWord? word)) return false;
            if (!word.TryWrite(_room, now, out TimedDatagram datagram))
            {
                _waiting.Dequeue();
                continue;
            }
            ReadOnlyMemory<byte> bytes = _room.AsMemory(0, datagram.Length);
            if (datagram.View is { } view) _trains.Start(view, bytes, alsoTo: null);
            else _trains.Start(datagram.To!, bytes);
        }
        return true;
    }
}
