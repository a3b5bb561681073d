namespace QuickSilver.Bench.Reports;

/// <summary>What a node did while nobody sent anything.</summary>
/// <param name="Seconds">How long it was watched.</param>
/// <param name="CpuShare">Of one core, from 0 to 1.</param>
/// <param name="Datagrams">UDP datagrams that it sent, of all kinds.</param>
/// <param name="LoopTurns">Turns of the core thread.</param>
internal sealed record IdleReport(double Seconds, double CpuShare, long Datagrams, long LoopTurns);
