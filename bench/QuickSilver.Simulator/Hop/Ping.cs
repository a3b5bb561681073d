using QuickSilver.Protocol.Core;
using QuickSilver.Testing.Scheduling;
using QuickSilver.Testing.Sites;

namespace QuickSilver.Simulator.Hop;

/// <summary>A datagram there and back over the ways alone, one after another: what any protocol is measured against.
/// </summary>
internal sealed class Ping : IEventTarget
{
    private readonly List<SimulatedWay> _path = [];
    private readonly VirtualClock _clock = new();
    private readonly EventQueue _events;
    private readonly byte[] _datagram;
    private int _at;
    private bool _isBack;

    private Ping(IReadOnlyList<WayModel> ways, int bytes)
    {
        var random = new SimulationRandom(1);
        _events = new EventQueue(_clock, random);
        _datagram = new byte[bytes];
        for (int index = 0; index < ways.Count; index++)
            _path.Add(new SimulatedWay(ways[index] with { Loss = 0 }, _events, random, index, index + 1));
        for (int index = ways.Count - 1; index >= 0; index--)
            _path.Add(new SimulatedWay(ways[index] with { Loss = 0 }, _events, random, index + 1, index));
    }

    /// <summary>The round trips over ways, none of which loses anything.</summary>
    public static IReadOnlyList<TimeSpan> Run(IReadOnlyList<WayModel> ways, int count, int bytes)
    {
        var ping = new Ping(ways, bytes);
        var found = new List<TimeSpan>();
        for (int number = 0; number < count; number++) found.Add(ping.RunOne());
        return found;
    }

    /// <inheritdoc/>
    public void OnEvent(object? argument, long value, Instant now)
    {
        if (++_at < _path.Count) _path[_at].Send(this, _datagram);
        else _isBack = true;
    }

    private TimeSpan RunOne()
    {
        Instant start = _clock.Now;
        (_at, _isBack) = (0, false);
        _path[0].Send(this, _datagram);
        while (!_isBack) _events.RunNext(Instant.Never);
        return _clock.Now - start;
    }
}
