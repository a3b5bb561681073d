using QuickSilver.Protocol.Sites.Links;
using QuickSilver.Protocol.Wire;
using QuickSilver.WideArea.Links;

namespace QuickSilver.WideArea.Running;

/// <summary>What connections tell, of links by TCP.</summary>
internal sealed partial class GatewayLoop
{
    private void TakeStreams(StreamInbox inbox)
    {
        for (int count = 0; count < DatagramsOfTurn && inbox.TryTake(out StreamEvent? told); count++)
        {
            // As for datagrams.
            _now = _clock.Now;
            StreamConnection connection = told.Connection;
            switch (told.Kind)
            {
                case StreamEventKind.Opened:
                    _streams.Add(connection);
                    break;
                case StreamEventKind.Datagram:
                    OnStream(connection, told.Bytes);
                    break;
                case StreamEventKind.Room:
                    if (connection.Site >= 0 && _streams.IsChosen(connection.Site, connection))
                        _gateway.OnRoom(connection.Site, _now);
                    break;
                case StreamEventKind.Ended:
                    if (_streams.Remove(connection) is >= 0 and int carried) _gateway.OnDisconnected(carried, _now);
                    break;
            }
            inbox.Recycle(told);
        }
    }

    private void OnStream(StreamConnection connection, Span<byte> datagram)
    {
        RejectReason reason = _opener.TryOpen(datagram, out int site, out Span<byte> plaintext);
        // The key may be right, and the certificate of another site.
        if (reason == RejectReason.None && !_streams.Admits(connection, site)) reason = RejectReason.WrongSource;
        _rejects.Count(reason);
        if (reason != RejectReason.None) return;
        if (_gateway.LinkTo(site) is not { State: LinkState.Up }) _streams.Choose(site, connection);
        _isFromAnother = !_streams.IsChosen(site, connection);
        _gateway.OnDatagram(site, plaintext, _now);
        _isFromAnother = false;
    }
}
