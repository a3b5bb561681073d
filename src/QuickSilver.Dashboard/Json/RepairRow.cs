namespace QuickSilver.Dashboard.Json;

/// <summary>What a node lost and had repaired within the last ten seconds.</summary>
/// <param name="Id">Address and incarnation.</param>
/// <param name="Name">Its name.</param>
/// <param name="FromPeers">Missing packets that neighbours repaired.</param>
/// <param name="FromSenders">Missing packets that senders repaired.</param>
/// <param name="Missed">Packets found missing.</param>
/// <param name="SocketDrops">Datagrams that the kernel dropped.</param>
/// <param name="Given">Repairs given to others.</param>
internal sealed record RepairRow(
    string Id, string Name, double FromPeers, double FromSenders, double Missed, double SocketDrops, double Given);
