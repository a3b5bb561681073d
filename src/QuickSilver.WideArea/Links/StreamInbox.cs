using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;

namespace QuickSilver.WideArea.Links;

/// <summary>What connections tell the loop, in order. What is told while no loop runs is dropped. Any thread, unless a
/// member says otherwise; allocates nothing once enough events were made.</summary>
internal sealed class StreamInbox
{
    private readonly ConcurrentQueue<StreamEvent> _events = new();
    private readonly ConcurrentBag<StreamEvent> _spare = [];
    private Action? _wake;

    /// <summary>True while a loop takes what is told.</summary>
    public bool HasLoop => Volatile.Read(ref _wake) is not null;

    /// <summary>True when something waits to be taken.</summary>
    public bool HasReceived => !_events.IsEmpty;

    /// <summary>A loop begins to take, or ends. One at a time.</summary>
    /// <param name="wake">Wakes the loop, on any thread; null: none runs.</param>
    public void SetLoop(Action? wake)
    {
        Volatile.Write(ref _wake, wake);
        if (wake is not null) return;
        while (TryTake(out StreamEvent? late)) Recycle(late);
    }

    /// <summary>Tells what has happened to a connection.</summary>
    public void Post(StreamConnection connection, StreamEventKind kind) => Post(Spare().Set(connection, kind));

    /// <summary>Tells of a datagram, which is copied.</summary>
    public void Post(StreamConnection connection, ReadOnlySpan<byte> datagram) =>
        Post(Spare().Set(connection, datagram));

    /// <summary>Takes what was told; <see cref="Recycle"/> gives it back. Loop thread only.</summary>
    public bool TryTake([NotNullWhen(true)] out StreamEvent? told) => _events.TryDequeue(out told);

    /// <summary>Gives an event back. Its connection may then read on.</summary>
    public void Recycle(StreamEvent told)
    {
        if (told.Kind == StreamEventKind.Datagram) told.Connection.OnTaken();
        _spare.Add(told);
    }

    private StreamEvent Spare() => _spare.TryTake(out StreamEvent? spare) ? spare : new StreamEvent();

    private void Post(StreamEvent told)
    {
        if (Volatile.Read(ref _wake) is not { } wake)
        {
            Recycle(told);
            return;
        }
        _events.Enqueue(told);
        wake();
    }
}
