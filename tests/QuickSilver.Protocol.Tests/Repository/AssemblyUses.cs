using System.Collections.Immutable;
using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;

namespace QuickSilver.Protocol.Tests.Repository;

/// <summary>
/// Which types and members each type of an assembly uses, read from its metadata and IL: base types, interfaces,
/// constraints, fields, signatures, locals, attributes, catch clauses, and every token in a method's body. Nested types
/// (closures, iterators) count as their outermost type. Nothing of the assembly is run.
/// </summary>
internal sealed class AssemblyUses
{
    private readonly MetadataReader _metadata;
    private readonly HashSet<TypeUse> _uses = [];
    private readonly TypeNames _names;
    private string _user = "";

    private AssemblyUses(MetadataReader metadata)
    {
        _metadata = metadata;
        _names = new TypeNames(metadata, Add);
    }

    /// <summary>All uses in an assembly, in a fixed order.</summary>
    public static IReadOnlyList<TypeUse> Of(System.Reflection.Assembly assembly)
    {
        using FileStream file = File.OpenRead(assembly.Location);
        using var image = new PEReader(file);
        var reader = new AssemblyUses(image.GetMetadataReader());
        foreach (TypeDefinitionHandle type in reader._metadata.TypeDefinitions) reader.ReadType(image, type);
        return [.. reader._uses.OrderBy(use => use.ToString(), StringComparer.Ordinal)];
    }

    private void Add(string type) => Add(type, "");

    private void Add(string type, string member)
    {
        if (type != _user) _uses.Add(new TypeUse(_user, type, member));
    }

    private void ReadType(PEReader image, TypeDefinitionHandle handle)
    {
        TypeDefinition type = _metadata.GetTypeDefinition(handle);
        _user = _names.OutermostOf(handle);
        AddType(type.BaseType);
        AddConstraints(type.GetGenericParameters());
        AddAttributes(type.GetCustomAttributes());
        foreach (InterfaceImplementationHandle each in type.GetInterfaceImplementations())
        {
            AddType(_metadata.GetInterfaceImplementation(each).Interface);
        }
        foreach (FieldDefinitionHandle each in type.GetFields())
        {
            FieldDefinition field = _metadata.GetFieldDefinition(each);
            field.DecodeSignature(_names, null);
            AddAttributes(field.GetCustomAttributes());
        }
        foreach (MethodDefinitionHandle each in type.GetMethods())
            ReadMethod(image, _metadata.GetMethodDefinition(each));
    }

    private void ReadMethod(PEReader image, MethodDefinition method)
    {
        method.DecodeSignature(_names, null);
        AddConstraints(method.GetGenericParameters());
        AddAttributes(method.GetCustomAttributes());
        if (method.RelativeVirtualAddress == 0) return;

        MethodBodyBlock body = image.GetMethodBody(method.RelativeVirtualAddress);
        if (!body.LocalSignature.IsNil)
            _metadata.GetStandaloneSignature(body.LocalSignature).DecodeLocalSignature(_names, null);
        foreach (ExceptionRegion region in body.ExceptionRegions)
        {
            if (region.Kind == ExceptionRegionKind.Catch) AddType(region.CatchType);
        }
        foreach (EntityHandle token in IlTokens.In(body.GetILReader())) AddToken(token);
    }

    private void AddToken(EntityHandle token)
    {
        switch (token.Kind)
        {
            case HandleKind.TypeDefinition or HandleKind.TypeReference or HandleKind.TypeSpecification:
                AddType(token);
                break;
            case HandleKind.MemberReference:
                MemberReference member = _metadata.GetMemberReference((MemberReferenceHandle)token);
                AddMember(member.Parent, member.Name);
                if (member.GetKind() == MemberReferenceKind.Method) member.DecodeMethodSignature(_names, null);
                else member.DecodeFieldSignature(_names, null);
                break;
            case HandleKind.MethodSpecification:
                MethodSpecification specification = _metadata.GetMethodSpecification((MethodSpecificationHandle)token);
                specification.DecodeSignature(_names, null);
                AddToken(specification.Method);
                break;
            case HandleKind.MethodDefinition:
                MethodDefinition method = _metadata.GetMethodDefinition((MethodDefinitionHandle)token);
                AddMember(method.GetDeclaringType(), method.Name);
                break;
            case HandleKind.FieldDefinition:
                FieldDefinition field = _metadata.GetFieldDefinition((FieldDefinitionHandle)token);
                AddMember(field.GetDeclaringType(), field.Name);
                break;
        }
    }

    private void AddMember(EntityHandle type, StringHandle name)
    {
        foreach (string each in AddType(type)) Add(each, _metadata.GetString(name));
    }

    private ImmutableArray<string> AddType(EntityHandle type) => type.IsNil ? [] : _names.Of(type);

    private void AddConstraints(GenericParameterHandleCollection parameters)
    {
        foreach (GenericParameterHandle parameter in parameters)
        {
            foreach (GenericParameterConstraintHandle constraint in _metadata.GetGenericParameter(parameter)
                .GetConstraints())
            {
                AddType(_metadata.GetGenericParameterConstraint(constraint).Type);
            }
        }
    }

    private void AddAttributes(CustomAttributeHandleCollection attributes)
    {
        foreach (CustomAttributeHandle each in attributes) AddToken(_metadata.GetCustomAttribute(each).Constructor);
    }
}
