using System.Net.Sockets;

namespace QuickSilver.Security;

/// <summary>
/// The bytes of a connection, below TLS. Until <see cref="Open"/> the other side may send only as much as a handshake
/// has. What it sends is handled by a few connections of a host at a time: a flood of handshakes leaves the processors
/// to others, and a peer that sends nothing holds up nobody. Afterwards the stream passes everything on.
/// </summary>
/// <param name="socket">The connected socket, which stays the caller's.</param>
/// <param name="mostBytes">The limit of the bytes that the other side may send in a handshake.</param>
/// <param name="turns">Limits how many handshakes compute at the same time; null for no limit.</param>
internal sealed class HandshakeStream(Socket socket, int mostBytes, SemaphoreSlim? turns)
    : NetworkStream(socket, ownsSocket: false)
{
    private readonly SemaphoreSlim? _turns = turns;
    private int _remaining = mostBytes;
    private bool _isOpen;
    private int _hasTurn;

    /// <summary>Ends the limits.</summary>
    public void Open()
    {
        _isOpen = true;
        EndTurn();
    }

    /// <inheritdoc/>
    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
        _isOpen ? base.ReadAsync(buffer, cancellationToken) : ReadLimitedAsync(buffer, cancellationToken);

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        EndTurn();
        base.Dispose(disposing);
    }

    private async ValueTask<int> ReadLimitedAsync(Memory<byte> buffer, CancellationToken cancellationToken)
    {
        EndTurn();
        if (buffer.Length > _remaining) buffer = buffer[..Math.Max(_remaining, 1)];
        int read = await base.ReadAsync(buffer, cancellationToken).ConfigureAwait(false);
        _remaining -= read;
        if (_remaining < 0)
            throw new HandshakeException(HandshakeFault.TooLong, "the other side sent more than a handshake has");
        if (_turns is not null)
        {
            await _turns.WaitAsync(cancellationToken).ConfigureAwait(false);
            Volatile.Write(ref _hasTurn, 1);
        }
        return read;
    }

    private void EndTurn()
    {
        if (Interlocked.Exchange(ref _hasTurn, 0) == 1) _turns!.Release();
    }
}
