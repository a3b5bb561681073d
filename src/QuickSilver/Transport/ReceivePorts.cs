using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport;

/// <summary>
/// The ports of a node, and the order in which they are read: the control port first and until it is empty; then, if it had anything, another look at
/// the system, so that what the data ports held before is seen to be there; then the unicast port and the channels, which take turns at being first.
/// A data port that is found empty after reads, or after control datagrams came in (a token may name packets that were lost on the way here), is
/// reported empty: that is what raises intake past a loss. Core thread only.
/// </summary>
/// <param name="look">Asks the system which ports have something to read, where it has to be asked.</param>
/// <param name="read">Takes reads from a port that is ready, at most so many; answers how many it took.</param>
internal sealed class ReceivePorts(Action look, Func<ReceivePort, List<Completion>, int, int> read)
{
    private readonly List<ReceivePort> _channels = [];
    private ReceivePort? _control;
    private ReceivePort? _data;
    private int _first;

    /// <summary>True when some port may have something to read.</summary>
    public bool HasReady => _control is { IsReady: true } || _data is { IsReady: true } || _channels.Exists(static port => port.IsReady);

    /// <summary>Adds a port.</summary>
    public void Add(ReceivePort port)
    {
        if (port.Role == SocketRole.Control) _control = port;
        else if (port.Role == SocketRole.Unicast) _data = port;
        else _channels.Add(port);
    }

    /// <summary>Forgets a channel's port.</summary>
    public void Remove(ReceivePort port) => _channels.Remove(port);

    /// <summary>Takes reads.</summary>
    /// <param name="batch">They are added here.</param>
    /// <param name="room">How many at most, words that a port is empty included.</param>
    /// <returns>How many.</returns>
    public int Take(List<Completion> batch, int room)
    {
        int before = batch.Count;
        look();
        if (_control is { IsReady: true } && read(_control, batch, room) > 0)
        {
            if (_data is not null) _data.OwesDrained = true;
            foreach (ReceivePort port in _channels) port.OwesDrained = true;
            look();
        }
        if (_data is not null) TakeData(_data, batch, room - (batch.Count - before));
        int count = _channels.Count;
        if (++_first >= count) _first = 0;
        for (int index = 0; index < count; index++) TakeData(_channels[(_first + index) % count], batch, room - (batch.Count - before));
        return batch.Count - before;
    }

    private void TakeData(ReceivePort port, List<Completion> batch, int room)
    {
        // One place is kept for the word that the socket is empty.
        if (port.IsReady && read(port, batch, room - 1) > 0) port.OwesDrained = true;
        if (!port.OwesDrained || !port.IsEmpty || room < 1) return;
        batch.Add(new Completion(port.Role, PriorityClass.Data, port.Channel, [], 0, 0));
        port.OwesDrained = false;
    }
}
