using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport;

/// <summary>
/// Reads the ports of a node in a fixed order. The control port is first, until it is empty. If it gave reads, the
/// system is checked again, so that data that arrived before them is found. The unicast port and the channels follow;
/// the channels take turns in being first. An empty data port is reported as empty if it gave reads since the last
/// report, or if control datagrams arrived. (A token may name packets that were lost.) That report raises the read
/// position past a loss. Core thread only.
/// </summary>
/// <param name="poll">Asks the system which ports have datagrams, if the transport needs that.</param>
/// <param name="read">Takes up to a number of reads from a ready port, and returns the number taken.</param>
internal sealed class ReceivePorts(Action poll, Func<ReceivePort, List<Completion>, int, int> read)
{
    private readonly List<ReceivePort> _channels = [];
    private ReceivePort? _control;
    private ReceivePort? _data;
    private int _first;

    /// <summary>True when a port may have datagrams to read.</summary>
    public bool HasReady =>
        _control is { IsReady: true } || _data is { IsReady: true } || _channels.Exists(static port => port.IsReady);

    /// <summary>Adds a port.</summary>
    public void Add(ReceivePort port)
    {
        if (port.Role == SocketRole.Control) _control = port;
        else if (port.Role == SocketRole.Unicast) _data = port;
        else _channels.Add(port);
    }

    /// <summary>Removes a channel's port.</summary>
    public void Remove(ReceivePort port) => _channels.Remove(port);

    /// <summary>Takes reads from all ports.</summary>
    /// <param name="batch">Receives the reads.</param>
    /// <param name="room">The limit, including reports of empty ports.</param>
    /// <returns>The number added.</returns>
    public int Take(List<Completion> batch, int room)
    {
        int before = batch.Count;
        poll();
        if (_control is { IsReady: true } && read(_control, batch, room) > 0)
        {
            if (_data is not null) _data.OwesDrained = true;
            foreach (ReceivePort port in _channels) port.OwesDrained = true;
            poll();
        }
        if (_data is not null) TakeData(_data, batch, room - (batch.Count - before));
        int count = _channels.Count;
        if (++_first >= count) _first = 0;
        for (int index = 0; index < count; index++)
            TakeData(_channels[(_first + index) % count], batch, room - (batch.Count - before));
        return batch.Count - before;
    }

    private void TakeData(ReceivePort port, List<Completion> batch, int room)
    {
        // One place is reserved for the report that the port is empty.
        if (port.IsReady && read(port, batch, room - 1) > 0) port.OwesDrained = true;
        if (!port.OwesDrained || !port.IsEmpty || room < 1) return;
        batch.Add(new Completion(port.Role, PriorityClass.Data, port.Channel, [], 0, 0));
        port.OwesDrained = false;
    }
}
