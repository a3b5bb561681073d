namespace QuickSilver.Bench.Overlaps;

/// <summary>What the nodes of one process did, added up.</summary>
/// <param name="Sent">Messages sent, by group.</param>
/// <param name="Delivered">Messages of others delivered, by group.</param>
/// <param name="Faults">Messages that were damaged, in the wrong group or out of order.</param>
/// <param name="MeasuredDelivered">Deliveries of the measured part.</param>
/// <param name="Copies">Copies of messages that left.</param>
/// <param name="PacketsReceived">Packets received.</param>
/// <param name="PacketsFiltered">Packets received and dropped, because the node is in none of their groups.</param>
/// <param name="Regions">Regions that the first node sees.</param>
internal sealed record OverlapReport(
    long[] Sent, long[] Delivered, long Faults, long MeasuredDelivered, long Copies, long PacketsReceived,
    long PacketsFiltered, int Regions);
