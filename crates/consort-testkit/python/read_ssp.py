"""What two readers make of an SSP: `read_ssp.py ARCHIVE` prints one JSON object.

FMPy brings the XML schema of SSP 1.0, pyssp-standard that of SSP 2.0: the description is validated
against both, as far as its version allows, and so is every parameter set within it.
"""

import json
import os
import sys
import tempfile
import zipfile

import pyssp_standard
from fmpy.ssp.ssd import find_components, ns, read_ssd, read_ssv
from lxml import etree
from pyssp_standard.ssd import SSD


def schema(name):
    folder = os.path.join(os.path.dirname(pyssp_standard.__file__), "resources", "ssp2")
    return etree.XMLSchema(file=os.path.join(folder, name))


def check(root, is_first_version):
    """Parameter sets are `any` for the schema of the description: each is validated on its own."""
    schema("SystemStructureDescription.xsd").assertValid(root)
    values = schema("SystemStructureParameterValues.xsd")
    for parameter_set in root.iterfind(".//ssv:ParameterSet", namespaces=ns):
        values.assertValid(etree.fromstring(etree.tostring(parameter_set)))
        if is_first_version:
            with tempfile.NamedTemporaryFile(suffix=".ssv") as file:
                etree.ElementTree(parameter_set).write(file.name)
                read_ssv(file.name)


def element(component):
    values = [
        [value.name, value.type, value.value, value.unit]
        for binding in component.parameterBindings
        for values in binding.parameterValues
        for value in values.parameters
    ]
    connectors = [[connector.name, connector.kind] for connector in component.connectors]
    return {
        "name": component.name,
        "source": component.source,
        "type": component.type,
        "connectors": connectors,
        "values": values,
    }


def by_fmpy(archive, is_first_version):
    ssd = read_ssd(archive, validate=is_first_version)
    return {
        "name": ssd.name,
        "components": [element(it) for it in find_components(ssd.system)],
        "connections": [
            [it.startElement, it.startConnector, it.endElement, it.endConnector]
            for it in ssd.system.connections
        ],
        "units": [
            [unit.name, unit.kg, unit.m, unit.s, unit.factor, unit.offset] for unit in ssd.units
        ],
    }


def by_pyssp_standard(description):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "SystemStructure.ssd")
        with open(path, "wb") as file:
            file.write(description)
        with SSD(path) as ssd:
            return {
                "components": [[it.name, it.source] for it in ssd.system.elements],
                "connections": [
                    [it.start_element, it.start_connector, it.end_element, it.end_connector]
                    for it in ssd.system.connections
                ],
            }


def main(archive):
    with zipfile.ZipFile(archive) as files:
        description = files.read("SystemStructure.ssd")
    root = etree.fromstring(description)
    is_first_version = root.get("version") == "1.0"
    check(root, is_first_version)
    print(
        json.dumps(
            {
                "version": root.get("version"),
                "fmpy": by_fmpy(archive, is_first_version),
                "pyssp-standard": by_pyssp_standard(description),
            }
        )
    )


main(sys.argv[1])
