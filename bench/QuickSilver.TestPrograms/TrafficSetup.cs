namespace QuickSilver.TestPrograms;

/// <summary>What to send.</summary>
/// <param name="Count">Generated messages; null: the lines of standard input.</param>
/// <param name="Size">Bytes of a generated message.</param>
/// <param name="Rate">Messages a second; 0: as fast as they are taken.</param>
/// <param name="Members">Members of each group to wait for, this one included.</param>
internal sealed record TrafficSetup(long? Count, int Size, double Rate, int Members);
